"use strict";
const tip = document.getElementById("tip");

// What the mouse points at in the map of ranks: the rank and the time come from where it is.
function inMap(map, event) {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.ownerSVGElement.getScreenCTM().inverse());
  const d = map.dataset;
  const seconds = (at.x - d.left) / (d.right - d.left) * d.seconds;
  const first = Math.floor((at.y - d.top) / d.row) * d.block;
  const last = Math.min(first + Number(d.block), Number(d.ranks)) - 1;
  return (first === last ? "rank " + first : "ranks " + first + "-" + last) + " at " + seconds.toPrecision(4) + " s: ";
}

document.addEventListener("mousemove", (event) => {
  const text = event.target.dataset && event.target.dataset.tip;
  if (!text) {
    tip.style.display = "none";
    return;
  }
  const map = event.target.closest("[data-map]");
  tip.textContent = (map ? inMap(map, event) : "") + text;
  tip.style.display = "block";
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8) + "px";
});
document.documentElement.dataset.charts = document.querySelectorAll("svg").length;
