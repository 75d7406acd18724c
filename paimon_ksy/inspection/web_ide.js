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

// The same for files that `paimon-ksy webide --open` serves.
async function openServedFiles(spec, data) {
  localStorage.setItem("doNotShowWelcome", "true");
  const served = name => fetch("paimon-ksy/" + encodeURIComponent(name));
  const contents = {
    [spec]: await (await served(spec)).text(),
    [data]: await (await served(data)).arrayBuffer(),
  };
  await openInWebIde(contents, spec, data);
}
