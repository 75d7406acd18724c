// Runs in the Web IDE's page: adds files as dropping them there does, opens a spec and a binary, and
// returns {problems, root}. A node of the tree: {path, text: as the IDE shows it, problem, children}.
async (files, spec, data) => {
  const app = kaitaiIde.app;
  await app.addNewFiles(Object.entries(files).map(([name, encoded]) => {
    const bytes = Uint8Array.from(atob(encoded), character => character.charCodeAt(0));
    const content = name.endsWith(".ksy") ? new TextDecoder().decode(bytes) : bytes.buffer;
    return { file: { name }, read: () => Promise.resolve(content) };
  }));

  const problems = [];
  app.errors.handle = error => { if (error) problems.push(String(error.message || error)); };
  const item = name => ({ fsType: "local", type: "file", fn: name });
  await app.loadFsItem(item(data), false);
  await app.loadFsItem(item(spec), false);
  const storage = await new Promise(done => require(["localforage"], done));
  await storage.setItem(app.ksyFsItemName, item(spec));
  kaitaiIde.root = null;
  await app.recompile().catch(() => null); // the error is in `problems`
  if (problems.length) return { problems, root: null };
  app.vm.disableLazyParsing = true;
  await app.reparse();

  const tree = app.ui.parsedDataTreeHandler;
  const plain = html => new DOMParser().parseFromString(html, "text/html").body.textContent.trim();
  const children = value =>
    value.object ? Object.values(value.object.fields) : value.arrayItems ? value.arrayItems : [];
  const node = value => {
    const error = value.instanceError || value.validationError;
    return {
      path: value.path.join("."),
      text: value.path.length ? plain(tree.childItemToNode(value, true).text) : "",
      problem: error ? `${error.name}: ${error.message}` : value.incomplete ? "incomplete" : null,
      children: children(value).map(node),
    };
  };
  return { problems, root: kaitaiIde.root && node(kaitaiIde.root) };
}
