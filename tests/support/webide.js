// Runs in the Web IDE's page, after web_ide.js: adds files, opens a spec and a binary, and returns
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
