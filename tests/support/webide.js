// Runs in a page of the Kaitai Web IDE. Adds files as dropping them there does, and opens a spec and
// a binary. `contents` has the text of each .ksy, and an ArrayBuffer of each other file, by name.
async function openInWebIde(contents, spec, data) {
  while (!(window.kaitaiIde && kaitaiIde.app && kaitaiIde.app.formatReady && kaitaiIde.app.inputReady)) {
    await new Promise(done => setTimeout(done, 50));
  }
  const app = kaitaiIde.app;
  // Else the file that the IDE opens by itself may come last.
  await Promise.allSettled([app.inputReady, app.formatReady]);
  await app.addNewFiles(Object.entries(contents).map(
    ([name, content]) => ({ file: { name }, read: () => Promise.resolve(content) })));
  const item = name => ({ fsType: "local", type: "file", fn: name });
  await app.loadFsItem(item(data), false);
  await app.loadFsItem(item(spec), false);
  const storage = await new Promise(done => require(["localforage"], done));
  await storage.setItem(app.ksyFsItemName, item(spec));
  kaitaiIde.root = null;
  await app.recompile();
}

// Adds files, opens a spec and a binary, and returns
// {problems, root}. A node of the tree: {path, text: as the IDE shows it, problem, children}.
async function parseInWebIde(files, spec, data) {
  const contents = {};
  for (const [name, encoded] of Object.entries(files)) {
    const bytes = Uint8Array.from(atob(encoded), character => character.charCodeAt(0));
    contents[name] = name.endsWith(".ksy") ? new TextDecoder().decode(bytes) : bytes.buffer;
  }
  const app = kaitaiIde.app;
  const problems = [];
  app.errors.handle = error => { if (error) problems.push(String(error.message || error)); };
  await openInWebIde(contents, spec, data).catch(() => null); // the error is in `problems`
  if (!kaitaiIde.root) return { problems, root: null };
  app.vm.disableLazyParsing = true;
  await app.reparse();

  const tree = app.ui.parsedDataTreeHandler;
  const characters = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  const plain = html =>
    html.replace(/<[^>]*>/g, "").replace(/&[^;]*;/g, name => characters[name] || name).trim();
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
  return { problems, root: node(kaitaiIde.root) };
}
