// Buttons that copy a text: one for each block that is there to be copied, and those of other scripts.

// The button copies what `text` returns, and then calls `copied`.
function copies(button, text, copied) {
  button.hidden = !navigator.clipboard; // not where pages come without encryption
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    copied();
  });
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll(".copies")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy btn btn-sm";
    button.textContent = "Copy";
    const text = () => block.querySelector("pre").textContent.trim();
    copies(button, text, () => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.prepend(button);
  }
});
