"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  root.classList.add("js");

  const lines = new Map(all(".source .line").map((line) => [line.dataset.line, line]));

  // --- what is lit -----------------------------------------------------------------------------------------------

  function unlight() {
    all(".lit").forEach((one) => one.classList.remove("lit"));
  }

  function lightEvents(figure, events) {
    const wanted = new Set(events);
    for (const node of all(".node", figure)) {
      if (wanted.has(node.dataset.event)) {
        node.classList.add("lit");
        lines.get(node.dataset.line)?.classList.add("lit");
      }
    }
    return wanted;
  }

  function tell(figure, text) {
    const told = figure.querySelector(".told");
    if (told) told.textContent = text;
  }

  function point(part) {
    const figure = part.closest("figure");
    unlight();
    if (part.classList.contains("edge")) {
      part.classList.add("lit");
      lightEvents(figure, [part.dataset.from, part.dataset.to]);
    } else {
      lightEvents(figure, [part.dataset.event]);
    }
    tell(figure, part.querySelector("title").textContent);
  }

  function leave(figure) {
    const now = figure.querySelector(".steps .now");
    if (now) {
      step(figure, now);
    } else {
      unlight();
      tell(figure, figure.dataset.hint);
    }
  }

  function around(parts) {
    const boxes = parts.map((part) => part.getBoundingClientRect());
    return {
      left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)),
      top: Math.min(...boxes.map((box) => box.top)), bottom: Math.max(...boxes.map((box) => box.bottom)),
    };
  }

  // A picture that is larger than its frame is scrolled to what matters, unless that is in sight; to the first of its
  // events where not all of it goes into the frame.
  function reveal(figure, parts, nodes) {
    const frame = figure.querySelector(".scroll");
    if (!frame || !parts.length) return;
    const seen = frame.getBoundingClientRect();
    let { left, right, top, bottom } = around(parts);
    if (nodes.length && (right - left > seen.width || bottom - top > seen.height)) {
      ({ left, right, top, bottom } = around(nodes.slice(0, 1)));
    }
    if (left < seen.left || right > seen.right) frame.scrollLeft += (left + right - seen.left - seen.right) / 2;
    if (top < seen.top || bottom > seen.bottom) frame.scrollTop += (top + bottom - seen.top - seen.bottom) / 2;
  }

  // So is the listing, to the first line of some events, unless one of them is in sight.
  function read(nodes) {
    const listing = document.querySelector(".source");
    const meant = nodes.map((node) => lines.get(node.dataset.line)).filter(Boolean);
    if (!listing || !meant.length) return;
    const seen = listing.getBoundingClientRect();
    const boxes = meant.map((line) => line.getBoundingClientRect());
    if (boxes.some((box) => box.top >= seen.top && box.bottom <= seen.bottom)) return;
    listing.scrollTop += Math.min(...boxes.map((box) => box.top)) - seen.top - seen.height / 4;
  }

  // --- steps -----------------------------------------------------------------------------------------------------

  function step(figure, item) {
    all(".steps li", figure).forEach((one) => one.classList.toggle("now", one === item));
    all(".steps li", figure).forEach((one) => (one === item ? one.setAttribute("aria-current", "step") : one.removeAttribute("aria-current")));
    unlight();
    if (!item) {
      tell(figure, figure.dataset.hint);
      return;
    }
    const wanted = lightEvents(figure, item.dataset.events.split(" ").filter(Boolean));
    const names = item.dataset.relation ? item.dataset.relation.split(" ") : null;
    for (const edge of all(".edge", figure)) {
      const isMeant = wanted.has(edge.dataset.from) && wanted.has(edge.dataset.to);
      if (isMeant && (!names || names.includes(edge.dataset.name))) edge.classList.add("lit");
    }
    const nodes = all("svg .node.lit", figure);
    reveal(figure, all("svg .lit", figure), nodes);
    read(nodes);
    tell(figure, item.textContent);
    item.scrollIntoView({ block: "nearest" });
  }

  function walk(figure, by) {
    const items = all(".steps li", figure);
    if (!items.length) return;
    const at = items.findIndex((one) => one.classList.contains("now"));
    const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : at + by;
    step(figure, items[next] ?? null);
  }

  const shown = () => document.querySelector(".view.on .variant.on figure.on");

  // --- what is shown ---------------------------------------------------------------------------------------------

  function select(figure, remember) {
    const variant = figure.closest(".variant");
    all("figure", variant).forEach((one) => one.classList.toggle("on", one === figure));
    for (const link of all("a[href^='#']", variant)) {
      const isIt = link.getAttribute("href") === `#${figure.id}`;
      if (isIt) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      link.closest("tr")?.classList.toggle("current", isIt);
    }
    step(figure, null);
    const edges = all("svg .edge.marked", figure), nodes = all("svg .node.marked", figure);
    reveal(figure, edges.length ? edges : nodes, nodes);
    read(nodes);
    if (remember) history.replaceState(null, "", `#${figure.id}`);
  }

  function open(variant) {
    const view = variant.closest(".view");
    all(".variant", view).forEach((one) => one.classList.toggle("on", one === variant));
    const figure = variant.querySelector("figure.on") ?? variant.querySelector("figure.foremost");
    if (figure) select(figure, false);
    else unlight();
  }

  function view(article) {
    all(".view").forEach((one) => one.classList.toggle("on", one === article));
    for (const tab of all(".tabs a")) {
      if (tab.getAttribute("href") === `#${article.id}`) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
    judge(article);
  }

  // --- rules -----------------------------------------------------------------------------------------------------

  const listed = (names) => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");

  // Which of the rules alone do what is shown, where it is not all of them.
  function alike(variant, names) {
    const own = variant.dataset.without.split(" ");
    return own.length < names.length ? `, as without ${listed(own)}` : "";
  }

  function judge(article) {
    const off = all(".chips button[aria-pressed='false']", article);
    const names = off.map((chip) => chip.dataset.rule);
    const wanted = [...names].sort().join(" ");
    const combinations = ({ dataset }) =>
      [dataset.without, ...dataset.alike.split(" | ")].map((rules) => rules.split(" ").sort().join(" "));
    const variants = all(".variant", article);
    // A test that cannot be read has no picture.
    if (!variants.length) return;
    const whole = variants.find((one) => one.dataset.without === "");
    const isIdle = off.every((chip) => chip.dataset.effect === "idle");
    const found = isIdle ? whole : variants.find((one) => combinations(one).includes(wanted));
    const said = article.querySelector(".said");
    const without = names.map((name) => ` --without ${name}`).join("");
    whole.classList.toggle("stale", !found);
    if (said) {
      if (!names.length) said.textContent = said.dataset.hint;
      else if (found === whole) said.textContent = `Without ${listed(names)} nothing changes for this test.`;
      else if (found) said.textContent = `Without ${listed(names)}: ${found.dataset.verdict}${alike(found, names)}.`;
      else said.textContent = `Not worked out beforehand. Ask: mcm check ${article.dataset.command}${without}`;
    }
    open(found ?? whole);
  }

  // --- events ----------------------------------------------------------------------------------------------------

  // A picture, a table or a list is one tab stop; arrow keys go through it.
  function rove(parts, keys, first = parts[0]) {
    if (!parts.length) return;
    const places = new Map(parts.map((part, number) => [part, number]));
    let current = first;
    parts.forEach((part) => part.setAttribute("tabindex", part === first ? "0" : "-1"));
    const moved = (event) => {
      const at = places.get(event.currentTarget);
      if (event.type === "focus") {
        current.setAttribute("tabindex", "-1");
        current = event.currentTarget;
        current.setAttribute("tabindex", "0");
        return;
      }
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const wanted = { Home: 0, End: parts.length - 1, [keys.next]: at + 1, [keys.back]: at - 1 };
      if (keys.both) Object.assign(wanted, { ArrowRight: at + 1, ArrowLeft: at - 1 });
      if (!(event.key in wanted)) return;
      event.preventDefault();
      parts[wanted[event.key]]?.focus();
    };
    parts.forEach((part) => ["focus", "keydown"].forEach((kind) => part.addEventListener(kind, moved)));
  }

  // What the frame was a tab stop for, what is in it is now.
  const into = (part) => part?.closest(".scroll")?.removeAttribute("tabindex");
  const vertical = { back: "ArrowUp", next: "ArrowDown" };
  for (const picture of all("figure .scroll > svg")) {
    const parts = [...all(".node", picture), ...all(".edge", picture)];
    picture.setAttribute("role", "group");
    parts.forEach((part) => part.setAttribute("role", "img"));
    rove(parts, vertical, parts.find((part) => part.matches(".marked")) ?? parts[0]);
    into(parts[0]);
  }
  for (const list of all(".states, .cases")) {
    const links = all("a", list);
    rove(links, vertical);
    into(links[0]);
  }
  for (const bar of all(".chips, .tabs")) rove(all("button:not(:disabled), a", bar), { ...vertical, both: true });

  const skips = {
    states: [".variant.on .choose [tabindex='0']", ".headline"],
    picture: [".variant.on figure.on svg [tabindex='0']", ".variant.on figure.on", ".headline"],
    rules: ["section.rules .chips [tabindex='0']", "section.rules summary", ".headline"],
  };
  for (const link of all(".skip a")) {
    link.addEventListener("click", (event) => {
      const places = skips[link.dataset.to].map((place) => document.querySelector(`.view.on ${place}`));
      const target = places.find(Boolean);
      if (!target) return;
      event.preventDefault();
      event.stopPropagation();
      if (target.tabIndex < 0) target.setAttribute("tabindex", "-1");
      target.focus();
    });
  }

  for (const stage of all(".stage")) {
    const part = (event) => event.target.closest?.(".edge, .node");
    stage.addEventListener("pointerover", (event) => part(event) && point(part(event)));
    stage.addEventListener("focusin", (event) => part(event) && point(part(event)));
    stage.addEventListener("pointerout", (event) => part(event) && leave(part(event).closest("figure")));
    stage.addEventListener("focusout", (event) => part(event) && leave(part(event).closest("figure")));
  }
  document.addEventListener("pointerover", (event) => {
    const line = event.target.closest?.(".source .line");
    const figure = shown();
    if (!line || !figure) return;
    unlight();
    line.classList.add("lit");
    all(`.node[data-line="${line.dataset.line}"]`, figure).forEach((node) => node.classList.add("lit"));
  });
  document.querySelector(".source")?.addEventListener("pointerleave", () => shown() && leave(shown()));

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#'], tr[data-figure]");
    if (link) {
      const id = link.dataset.figure ?? link.getAttribute("href").slice(1);
      const target = document.getElementById(id);
      if (target?.matches("figure")) {
        event.preventDefault();
        select(target, true);
      } else if (target?.matches(".view")) {
        event.preventDefault();
        view(target);
        history.replaceState(null, "", `#${id}`);
      }
      return;
    }
    const chip = event.target.closest(".chips button");
    if (chip) {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") === "true" ? "false" : "true");
      judge(chip.closest(".view"));
    }
    const back = event.target.closest(".back");
    if (back) {
      const article = back.closest(".view");
      all(".chips button[aria-pressed='false']", article).forEach((one) => one.setAttribute("aria-pressed", "true"));
      judge(article);
    }
    const by = event.target.closest(".walk button");
    if (by) walk(by.closest("figure"), Number(by.dataset.by));
    const item = event.target.closest(".steps li");
    if (item) step(item.closest("figure"), item);
  });

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const figure = shown();
    if (!by || !figure || event.target.matches?.(".scroll")) return;
    event.preventDefault();
    walk(figure, by);
  });

  // --- the beginning ---------------------------------------------------------------------------------------------

  function begin() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const figure = target?.matches("figure") ? target : null;
    const article = target?.closest(".view") ?? document.querySelector(".view");
    if (!article) return;
    if (figure) {
      const names = figure.closest(".variant").dataset.without.split(" ");
      all(".chips button", article).forEach((chip) => chip.setAttribute("aria-pressed", String(!names.includes(chip.dataset.rule))));
    }
    view(article);
    if (figure) select(figure, false);
  }
  window.addEventListener("hashchange", begin);
  begin();
})();
