// Draws a payload of cuemem.viz.graph with vis-network: in the app and in an exported file alike.
// The vis.Network is made once; a new payload only updates what changed, so zoom and pan stay as they are.

const CUEMEM_THEMES = __THEMES__;

function cuememGraph(vis, box, hooks) {
  let net = null, nodes = null, edges = null, payload = null, rows = null, selected = null;
  let theme = null, home = true, width = 0, face = "sans-serif";
  const stage = document.createElement("div");
  stage.className = "stage";
  box.append(stage, tools());

  // Light or dark, told by the background that the page gives the box.
  function themeNow() {
    const [r, g, b] = (getComputedStyle(box).backgroundColor.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
    return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
  }

  // vis takes the quotes off a font's name, so a name that needs them would spoil the whole list.
  function fontFace() {
    const names = getComputedStyle(box).fontFamily.split(",").map((name) => name.trim().replace(/["']/g, ""));
    return [...names.filter((name) => /^[a-z-]+( [a-z-]+)*$/i.test(name)), "sans-serif"].join(", ");
  }

  function options() {
    theme = themeNow();
    const { ink, groups } = structuredClone(CUEMEM_THEMES[theme]);
    face = fontFace();
    for (const group of Object.values(groups)) group.font.face = face;
    const given = structuredClone(payload.options);
    given.groups = { ...groups, useDefaultGroups: false };
    Object.assign(given.edges.font, { face, color: ink.quiet, strokeColor: ink.paper });
    given.interaction.dragView = !matchMedia("(pointer: coarse)").matches; // a finger scrolls the page
    return given;
  }

  // Cards, anchors and the query are drawn here, exactly as large as they were laid out.
  function dress(row) {
    return row.shape === "box" ? { ...row, shape: "custom", ctxRenderer: card } : row;
  }

  function card({ ctx, id, x, y, state }) {
    const row = rows.get(id);
    if (row?.shape !== "box") return {}; // of the picture before, about to be removed or to change its shape
    const width = row.widthConstraint.maximum, height = row.heightConstraint.minimum;
    const group = CUEMEM_THEMES[theme].groups[row.group], ink = CUEMEM_THEMES[theme].ink;
    const { background, border } = group.color, dashes = group.shapeProperties.borderDashes;
    const drawNode = () => {
      ctx.save();
      ctx.beginPath();
      ctx.roundRect(x - width / 2, y - height / 2, width, height, 5);
      ctx.fillStyle = background;
      ctx.fill();
      if (group.borderWidth || state.hover) {
        ctx.setLineDash(dashes || []);
        ctx.lineWidth = Math.max(group.borderWidth, state.hover ? 2 : 0);
        ctx.strokeStyle = border;
        ctx.stroke();
      }
      words(ctx, row, x, y, width - 12, group.font, ink);
      ctx.restore();
    };
    return { drawNode, nodeDimensions: { width, height } };
  }

  // vis learns the size of a node drawn here only after the next change of its state, but needs it for the pointer.
  function tellSizes() {
    for (const row of rows.values()) {
      if (row.shape !== "box") continue;
      const { shape } = net.body.nodes[row.id];
      shape.width = row.widthConstraint.maximum;
      shape.height = row.heightConstraint.minimum;
    }
  }

  function words(ctx, row, x, y, room, font, ink) {
    const lines = row.label.split("\n"), step = Math.round(font.size * 1.27);
    const [number] = row.label.match(/^#[\d,]+( · [\d.]+)?/) || [""];
    const left = number && lines[0] !== number;
    const weight = row.group === "query" || row.group === "anchor" || row.group === "cue small" ? "600 " : "";
    ctx.textBaseline = "middle";
    ctx.textAlign = left ? "left" : "center";
    lines.forEach((line, place) => {
      let at = left ? x - room / 2 : x, rest = line, wide = room;
      const height = y + (place - (lines.length - 1) / 2) * step + 0.5;
      if (left && place === 0) {
        ctx.font = `700 ${font.size}px ${face}`;
        ctx.fillStyle = row.group === "cue lost" ? ink.quiet : ink.rank;
        ctx.fillText(number, at, height);
        const taken = ctx.measureText(number).width + 4;
        at += taken;
        wide -= taken;
        rest = line.slice(number.length).trimStart();
      }
      ctx.font = `${weight}${font.size}px ${face}`;
      ctx.fillStyle = font.color;
      ctx.fillText(rest, at, height, Math.max(wide, 1));
    });
  }

  function homeScale() {
    return Math.min(1, stage.clientWidth / payload.width);
  }

  function goHome() {
    home = true;
    net.moveTo({ position: { x: payload.width / 2, y: payload.height / 2 }, scale: homeScale(), animation: false });
  }

  function size() {
    stage.style.height = `${Math.ceil(payload.height * homeScale())}px`;
    net.setSize(`${stage.clientWidth}px`, stage.style.height);
    width = stage.clientWidth;
    if (home) goHome(); else net.redraw();
  }

  function zoom(factor) {
    home = false;
    net.moveTo({ scale: Math.min(4, Math.max(0.2, net.getScale() * factor)), animation: false });
  }

  function tools() {
    const bar = document.createElement("div");
    bar.className = "tools";
    const entries = [["+", "Zoom in", () => zoom(1.25)], ["−", "Zoom out", () => zoom(0.8)], ["⤢", "Show all", goHome]];
    for (const [text, name, act] of entries) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: text, title: name, onclick: () => net && act() });
      button.setAttribute("aria-label", name);
      bar.append(button);
    }
    return bar;
  }

  function scenery(ctx) {
    const ink = CUEMEM_THEMES[theme].ink;
    let bands = 0;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const [kind, x1, y1, x2, y2, text] of payload.scenery) {
      if (kind === "band") {
        ctx.fillStyle = bands++ % 2 ? ink["other band"] : ink.band;
        ctx.beginPath();
        ctx.roundRect(x1 + 1, y1, x2 - x1 - 2, y2 - y1, 4);
        ctx.fill();
      } else if (kind === "text" || kind === "small") {
        ctx.fillStyle = ink.quiet;
        ctx.font = kind === "text" ? `600 11px ${face}` : `${text.length < 4 ? 9.5 : 11}px ${face}`;
        ctx.fillText(text, x1, y1);
      } else {
        ctx.strokeStyle = ink.line;
        ctx.lineWidth = kind === "gap" ? 1.5 : 2;
        ctx.setLineDash(kind === "gap" ? [1.5, 4] : []);
        ctx.beginPath();
        ctx.moveTo(x1, y1);
        ctx.lineTo(x2, y2);
        ctx.stroke();
        ctx.setLineDash([]);
      }
    }
  }

  // A ring and the id of the selected turn; it is no part of the payload, so that a click resends nothing.
  function ring(ctx) {
    const id = `turn ${selected}`;
    if (selected === null || !nodes.get(id)) return;
    const { x, y } = net.getPosition(id), ink = CUEMEM_THEMES[theme].ink;
    ctx.lineWidth = 2.5;
    ctx.strokeStyle = ink.ink;
    ctx.beginPath();
    ctx.arc(x, y, 17, 0, 2 * Math.PI);
    ctx.stroke();
    ctx.font = `600 12px ${face}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const half = ctx.measureText(selected).width / 2 + 4;
    const at = Math.min(Math.max(x, half), payload.width - half);
    ctx.fillStyle = ink.ink;
    ctx.beginPath();
    ctx.roundRect(at - half, y - 36, 2 * half, 17, 4);
    ctx.fill();
    ctx.fillStyle = ink.paper;
    ctx.fillText(selected, at, y - 27);
  }

  function mount() {
    nodes = new vis.DataSet(payload.nodes.map(dress));
    edges = new vis.DataSet(payload.edges);
    net = new vis.Network(stage, { nodes, edges }, options());
    net.on("beforeDrawing", scenery);
    net.on("afterDrawing", ring);
    net.on("dragEnd", () => { home = false; });
    net.on("hoverNode", () => { stage.style.cursor = "pointer"; });
    net.on("blurNode", () => { stage.style.cursor = ""; });
    net.on("click", ({ nodes: [id] }) => {
      const turn = id === undefined ? undefined : nodes.get(id)?.turn;
      net.unselectAll();
      if (turn !== undefined) { select(turn); hooks.onTurn(turn); }
    });
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }, { passive: false });
    size();
    new ResizeObserver(() => {
      if (!stage.clientWidth || stage.clientWidth === width) return;
      size();
      hooks.onWidth(stage.clientWidth);
    }).observe(stage);
    // A change of theme is a change of the box's background, which a transition makes known.
    box.addEventListener("transitionend", restyle);
    document.fonts?.ready.then(restyle);
  }

  function restyle() {
    if (!net) return;
    net.setOptions(options());
    nodes.update(payload.nodes.map(dress)); // so that vis looks up the groups again
    net.once("afterDrawing", tellSizes);
    net.redraw();
  }

  function replace(set, rows) {
    const kept = new Set(rows.map((row) => row.id));
    set.remove(set.getIds().filter((id) => !kept.has(id)));
    set.update(rows);
  }

  function show(given) {
    const started = performance.now();
    const fresh = payload?.rev !== given.rev;
    payload = given;
    rows = new Map(payload.nodes.map((row) => [row.id, row]));
    box.setAttribute("aria-label", payload.alt);
    if (!net) mount();
    else if (fresh) {
      for (const hint of stage.querySelectorAll(".vis-tooltip")) hint.style.visibility = "hidden";
      edges.clear(); // first, so that no edge loses its ends
      replace(nodes, payload.nodes.map(dress));
      edges.add(payload.edges);
      if (theme !== themeNow()) net.setOptions(options());
      size();
    } else return;
    net.once("afterDrawing", () => {
      tellSizes();
      box.dataset.milliseconds = (performance.now() - started).toFixed(1);
      box.dataset.rev = payload.rev;
    });
    net.redraw();
    hooks.onWidth(stage.clientWidth);
  }

  function select(turn) {
    selected = turn;
    if (net) net.redraw();
  }

  // Where a node is on the page, for tests and for other code that wants to point at it.
  function pagePosition(id) {
    if (!net?.body.nodes[id]) return null;
    const place = net.canvasToDOM(net.getPosition(id)), frame = stage.getBoundingClientRect();
    return { x: place.x + frame.left, y: place.y + frame.top };
  }

  function destroy() {
    net?.destroy();
    net = null;
    box.replaceChildren();
  }

  return { show, select, destroy, pagePosition, revision: () => box.dataset.rev };
}
