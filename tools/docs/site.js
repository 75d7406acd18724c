/* What the theme lacks: copy buttons that copy the commands alone, and words with hyphens that do not break. */
document.addEventListener("click", event => {
  const button = event.target.closest("button, a");
  const block = button && button.closest(".language-console");
  if (!block || !button.matches(".md-clipboard, .md-code__button")) return;
  const lines = block.querySelector("code").textContent.split("\n");
  const commands = lines.filter((line, at) => line.startsWith("$ ") || (at && lines[at - 1].endsWith("\\")));
  event.preventDefault();
  event.stopImmediatePropagation();
  navigator.clipboard.writeText(commands.map(line => line.replace(/^\$ /, "")).join("\n"));
}, true);

for (const code of document.querySelectorAll(":not(pre) > code")) {
  const words = code.innerHTML.replace(/--?\w+(-\w+)*|\w+(-\w+)+/g, "<span>$&</span>");
  code.innerHTML = words.replaceAll("<span>", '<span style="white-space: nowrap">');
}
