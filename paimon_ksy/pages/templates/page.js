"use strict";
// Selects a field in the tree and its bytes beside it, both ways, by mouse and by keyboard.
(() => {
  const tree = document.getElementById("tree");
  const hex = document.getElementById("hex");
  const status = document.getElementById("status");
  if (!tree || !hex) return;
  const nodes = [...tree.querySelectorAll("[role=treeitem]")];
  const byField = new Map(nodes.filter((n) => n.dataset.f).map((n) => [n.dataset.f, n]));
  const pieces = new Map();
  for (const piece of hex.querySelectorAll("i[data-f]")) {
    if (!pieces.has(piece.dataset.f)) pieces.set(piece.dataset.f, []);
    pieces.get(piece.dataset.f).push(piece);
  }
  const order = [...pieces.keys()];
  let current = null;
  let lit = [];

  const parent = (node) => node.parentElement.closest("[role=treeitem]");
  const shown = (node) => {
    for (let up = parent(node); up; up = parent(up)) {
      if (up.getAttribute("aria-expanded") === "false") return false;
    }
    return true;
  };
  const expand = (node, open) => node.setAttribute("aria-expanded", String(open));
  const label = (node) => node.querySelector("span").textContent;

  const describe = (node) => {
    const path = [];
    for (let up = node; up; up = parent(up)) {
      path.unshift(up === node ? label(up) : up.querySelector("b").textContent);
    }
    const first = Number(node.dataset.a);
    const last = Number(node.dataset.b) - 1;
    const bytes = first === last ? `Byte ${first}` : `Bytes ${first} to ${last}`;
    return `${bytes} (0x${first.toString(16)}): ${path.join(" › ")}`;
  };

  const within = (pane, item) => {
    const box = pane.getBoundingClientRect();
    const at = item.getBoundingClientRect();
    if (at.top < box.top + 20 || at.bottom > box.bottom - 20) {
      pane.scrollTop += at.top - box.top - pane.clientHeight / 3;
    }
  };

  const select = (node, focus) => {
    for (const item of lit) item.classList.remove("lit");
    if (current) {
      current.tabIndex = -1;
      current.removeAttribute("aria-selected");
    }
    for (let up = parent(node); up; up = parent(up)) expand(up, true);
    current = node;
    node.tabIndex = 0;
    node.setAttribute("aria-selected", "true");
    const leaves = node.dataset.f ? [node] : [...node.querySelectorAll("[data-f]")];
    lit = [node, ...leaves.flatMap((leaf) => pieces.get(leaf.dataset.f) || [])];
    for (const item of lit) item.classList.add("lit");
    status.textContent = describe(node);
    if (focus) node.focus({ preventScroll: true });
    within(tree, node.querySelector("span"));
    if (lit[1]) within(hex, lit[1]);
  };

  tree.addEventListener("click", (event) => {
    const node = event.target.closest("[role=treeitem]");
    if (!node) return;
    if (node.hasAttribute("aria-expanded")) {
      expand(node, node.getAttribute("aria-expanded") === "false");
    }
    select(node, true);
  });

  tree.addEventListener("keydown", (event) => {
    if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
    const open = current.getAttribute("aria-expanded");
    const visible = nodes.filter(shown);
    const at = visible.indexOf(current);
    let next = null;
    if (event.key === "ArrowDown") next = visible[at + 1];
    else if (event.key === "ArrowUp") next = visible[at - 1];
    else if (event.key === "Home") next = visible[0];
    else if (event.key === "End") next = visible[visible.length - 1];
    else if (event.key === "ArrowRight" && open === "false") expand(current, true);
    else if (event.key === "ArrowRight" && open === "true") next = visible[at + 1];
    else if (event.key === "ArrowLeft" && open === "true") expand(current, false);
    else if (event.key === "ArrowLeft") next = parent(current);
    else if (event.key === "Enter" || event.key === " ") {
      if (open) expand(current, open === "false");
    } else return;
    event.preventDefault();
    if (next) select(next, true);
  });

  hex.addEventListener("click", (event) => {
    const piece = event.target.closest("i[data-f]");
    if (piece && byField.has(piece.dataset.f)) select(byField.get(piece.dataset.f), false);
  });

  hex.addEventListener("keydown", (event) => {
    const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const leaf = current && (current.dataset.f ? current : current.querySelector("[data-f]"));
    const at = leaf ? order.indexOf(leaf.dataset.f) + moves[event.key] : 0;
    if (order[at]) select(byField.get(order[at]), false);
  });

  document.addEventListener("click", (event) => {
    const place = event.target.closest("button[data-byte]");
    if (!place) return;
    const byte = Number(place.dataset.byte);
    let found = null;
    for (const node of byField.values()) {
      if (Number(node.dataset.a) <= byte && byte < Number(node.dataset.b)) found = node;
    }
    if (!found) {
      status.textContent = `Byte ${byte} is not shown here`;
      document.getElementById("bytes").scrollIntoView();
      return;
    }
    select(found, true);
    document.getElementById("bytes").scrollIntoView();
  });

  if (nodes.length) {
    nodes[0].tabIndex = 0;
    current = nodes[0];
  }
})();
