// SPDX-License-Identifier: LGPL-2.1-or-later
// Searches and sorts the clips, which are in the page already. Changes no text.
"use strict";
const clips = [...document.querySelectorAll("article")];
const texts = new Map(clips.map(clip => [clip, clip.textContent.toLowerCase()]));
const search = document.getElementById("search");
const order = document.getElementById("order");
const count = document.getElementById("count");

function number(clip, name) {
  return Number(clip.dataset[name] ?? -1);
}

const orders = {
  newest: (a, b) => number(b, "date") - number(a, "date"),
  oldest: (a, b) => number(a, "date") - number(b, "date"),
  cost: (a, b) => number(b, "cost") - number(a, "cost"),
  model: (a, b) => (a.dataset.model < b.dataset.model ? -1 : a.dataset.model > b.dataset.model ? 1 : 0),
  prompt: (a, b) => texts.get(a).localeCompare(texts.get(b)),
};

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
  let shown = 0;
  for (const clip of clips) {
    const text = texts.get(clip);
    clip.hidden = !words.every(word => text.includes(word));
    if (!clip.hidden) ++shown;
  }
  const all = clips.length === 1 ? "1 clip" : `${clips.length} clips`;
  count.textContent = shown === clips.length ? all : `${shown} of ${all}`;
}

function sort() {
  clips.sort(orders[order.value]);
  document.querySelector("main").append(...clips);
}

search.addEventListener("input", show);
order.addEventListener("change", sort);
sort();
show();
