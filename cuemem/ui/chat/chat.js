// The chat: a conversation drawn once, and marks, filters and hits laid over it without drawing it again.
// Text from data is only ever set as text; nothing in here makes HTML of it.

const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};

const nothing = { marks: [], shown: null, hits: [], find: "", steps: [], selected: null };

class Chat {
  constructor(root) {
    this.root = root;
    this.pane = root.querySelector(".pane");
    this.rail = root.querySelector(".rail");
    this.ruler = root.querySelector(".ruler");
    this.where = root.querySelector(".where");
    [this.back, this.on] = root.querySelectorAll(".step");
    this.state = nothing;
    this.back.onclick = () => this.step(-1);
    this.on.onclick = () => this.step(1);
    this.pane.onclick = (event) => this.click(event);
    this.pane.onkeydown = (event) => this.key(event);
    this.rail.onclick = (event) => {
      const entry = event.target.closest("button");
      if (entry) this.toSession(Number(entry.dataset.at));
    };
    this.pane.onscroll = () => this.follow();
    root.querySelector(".legend").open = root.clientWidth > 640;
    this.watch = new ResizeObserver(() => this.measure());
    this.watch.observe(this.pane);
  }

  // --- what is said

  fill(text) {
    this.text = text;
    this.state = nothing;
    this.at = null;
    this.turns = [];
    this.sessions = [];
    this.rail.replaceChildren();
    const page = document.createDocumentFragment();
    let first = 0;
    text.sessions.forEach((session, place) => {
      page.append(this.session(session, place, first));
      first += session.turns;
    });
    this.pane.replaceChildren(page);
    if (this.turns.length) this.turns[0].tabIndex = 0;
    this.pane.scrollTop = 0;
    this.follow();
  }

  session(session, place, first) {
    const block = make("section", "session");
    const head = make("h3", "head");
    head.append(make("span", "number", `Session ${session.number}`), make("span", "date", session.date));
    head.append(make("span", "count", session.turns === 1 ? "1 turn" : `${session.turns} turns`));
    block.append(head);
    for (let at = first; at < first + session.turns; at++) {
      const turn = this.turn(this.text.turns[at], at);
      turn.session = place;
      this.turns.push(turn);
      block.append(turn);
    }
    this.sessions.push(block);
    const entry = make("button", "entry");
    entry.type = "button";
    entry.dataset.at = place;
    entry.title = `Session ${session.number}, ${session.date}, ${session.turns} turns`;
    entry.append(make("span", "number", session.number), make("span", "day", session.day), make("span", "tally"));
    this.rail.append(entry);
    return block;
  }

  turn(turn, at) {
    const row = make("article", "turn");
    row.dataset.at = at;
    row.tabIndex = -1;
    row.append(make("div", "margin"));
    const said = make("div", "said");
    turn.said.forEach((message, place) => said.append(this.message(message, place ? "" : turn.id)));
    row.append(said);
    return row;
  }

  message(message, id) {
    const side = message.right ? "right" : "left";
    const block = make("div", `message ${side} by${message.by % 6}`);
    const name = make("div", "name");
    name.append(make("bdi", "speaker", this.text.speakers[message.by]));
    if (id) name.append(make("bdi", "id", id));
    if (message.time) name.append(make("span", "time", message.time));
    const bubble = make("div", "bubble");
    const words = make("div", "words", message.text);
    words.dir = "auto";
    bubble.append(words);
    if (message.long) {
      bubble.classList.add("folded");
      const fold = make("button", "fold", `Show all ${message.long}`);
      fold.type = "button";
      fold.dataset.closed = fold.textContent;
      fold.tabIndex = -1;
      bubble.append(fold);
    }
    if (message.image) {
      const image = make("div", "image");
      image.dir = "auto";
      image.append(make("span", "kind", "Image"), make("span", "words", message.image));
      bubble.append(image);
    }
    block.append(name, bubble);
    return block;
  }

  // --- what lies over it

  lay(state) {
    if (!this.text || state.revision !== this.text.revision || state === this.state) return;
    const before = this.state;
    this.state = state;
    this.marks();
    if (String(state.shown) !== String(before.shown)) this.filter();
    this.find(before);
    this.select(state.selected);
    this.steps = state.steps;
    this.measure();
    this.arrive(before);
  }

  marks() {
    const by = new Map(this.state.marks.map((mark) => [mark[0], mark]));
    const tallies = this.sessions.map(() => ({}));
    this.turns.forEach((turn, at) => {
      const mark = by.get(at);
      const look = mark ? mark[1] : "";
      if (turn.dataset.look !== look || turn.letters !== (mark && mark[2])) {
        turn.dataset.look = look;
        turn.letters = mark && mark[2];
        turn.firstChild.replaceChildren(...(mark ? [glyph(look), make("span", "letters", mark[2])] : []));
      }
      turn.firstChild.title = mark ? mark[3] : "";
      turn.setAttribute("aria-label", `${this.text.turns[at].id}${mark ? ", " + mark[3] : ""}`);
      const kind = look.startsWith("found") ? "found" : look;
      if (["found", "missed", "anchor"].includes(kind)) {
        const tally = tallies[turn.session];
        tally[kind] = (tally[kind] || 0) + 1;
      }
    });
    [...this.rail.children].forEach((entry, place) => {
      const parts = Object.entries({ found: "★", missed: "▲", anchor: "■" })
        .filter(([kind]) => tallies[place][kind])
        .map(([kind, sign]) => make("span", kind, `${sign}${tallies[place][kind]}`));
      entry.lastChild.replaceChildren(...parts);
    });
  }

  filter() {
    this.pane.querySelectorAll(".gap").forEach((gap) => gap.remove());
    const shown = this.state.shown && new Set(this.state.shown);
    let run = [];
    const close = () => {
      if (run.length) run[0].before(this.gap(run));
      run = [];
    };
    this.turns.forEach((turn, at) => {
      turn.hidden = Boolean(shown) && !shown.has(at);
      if (run.length && (!turn.hidden || run[0].session !== turn.session)) close();
      if (turn.hidden) run.push(turn);
    });
    close();
    this.empty();
  }

  gap(run) {
    const gap = make("button", "gap", run.length === 1 ? "1 turn hidden" : `${run.length} turns hidden`);
    gap.type = "button";
    gap.title = "Show them";
    gap.onclick = () => {
      run.forEach((turn) => (turn.hidden = false));
      gap.remove();
      run[0].focus({ preventScroll: true });
      this.empty();
      this.measure();
    };
    return gap;
  }

  empty() {
    this.sessions.forEach((block, place) => {
      const none = !this.turns.some((turn) => turn.session === place && !turn.hidden);
      block.classList.toggle("empty", none);
      this.rail.children[place].classList.toggle("faint", none);
    });
  }

  find(before) {
    const hits = new Set(this.state.hits);
    this.turns.forEach((turn, at) => turn.classList.toggle("hit", hits.has(at)));
    if (this.state.find === before.find || !globalThis.Highlight) return;
    CSS.highlights.delete("chat-hit");
    if (!this.state.find) return;
    const pattern = new RegExp(this.state.find.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"), "giu");
    const ranges = [];
    for (const at of this.state.hits) {
      for (const words of this.turns[at].querySelectorAll(".words, .speaker")) {
        const node = words.firstChild;
        if (!node) continue;
        for (const match of node.data.matchAll(pattern)) {
          const range = new Range();
          range.setStart(node, match.index);
          range.setEnd(node, match.index + match[0].length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("chat-hit", new Highlight(...ranges));
  }

  // --- where one is

  arrive(before) {
    const { selected, find, question, steps } = this.state;
    if (selected !== null && (selected !== before.selected || before === nothing)) this.goto(selected);
    else if (find && find !== before.find && this.state.hits.length) this.goto(this.state.hits[0]);
    else if (before !== nothing && question !== before.question && steps.length) this.goto(steps[0]);
    else this.say();
  }

  goto(at) {
    this.at = at;
    this.show(at);
    this.say();
  }

  step(by) {
    const steps = this.steps || [];
    if (!steps.length) return;
    const here = this.at ?? this.top();
    const place = steps.indexOf(here);
    let next = place + by;
    if (place < 0) next = by > 0 ? steps.findIndex((at) => at >= here) : steps.findLastIndex((at) => at < here);
    if (place < 0 && next < 0) next = by > 0 ? 0 : steps.length - 1;
    this.goto(steps[(next + steps.length) % steps.length]);
  }

  say() {
    const steps = this.steps || [];
    const place = steps.indexOf(this.at);
    const name = this.state.stepping || "";
    const count = place < 0 ? `${name}: ${steps.length}` : `${name} ${place + 1} of ${steps.length}`;
    this.where.textContent = steps.length ? count : "Nothing found";
    this.where.hidden = !name;
    this.back.disabled = this.on.disabled = !steps.length;
    this.back.hidden = this.on.hidden = !name;
    this.turns.forEach((turn, at) => turn.classList.toggle("here", at === this.at && place >= 0));
  }

  show(at) {
    const turn = this.turns[at];
    if (!turn) return;
    if (turn.hidden) {
      turn.hidden = false;
      this.empty();
    }
    this.rove(turn);
    const head = 44;
    const high = this.pane.clientHeight;
    const top = turn.offsetTop - head;
    const room = Math.max(0, (high - head - turn.offsetHeight) / 3);
    this.pane.scrollTo({ top: top - room, behavior: "instant" });
  }

  toSession(place) {
    const block = this.sessions[place];
    this.at = null;
    if (block.classList.contains("empty")) {
      block.querySelector(".gap")?.click();
    }
    this.pane.scrollTo({ top: block.offsetTop, behavior: "instant" });
    this.rove(this.turns.find((turn) => turn.session === place && !turn.hidden) || this.turns[0]);
    this.say();
  }

  top() {
    const line = this.pane.scrollTop + 60;
    const at = this.turns.findIndex((turn) => !turn.hidden && turn.offsetTop + turn.offsetHeight > line);
    return Math.max(0, at);
  }

  follow() {
    const line = this.pane.scrollTop + 60;
    const place = this.sessions.findLastIndex((block) => block.offsetTop <= line && block.offsetHeight);
    if (place === this.place) return;
    this.place = place;
    [...this.rail.children].forEach((entry, at) => {
      entry.classList.toggle("now", at === place);
      if (at === place) {
        entry.setAttribute("aria-current", "true");
        const { offsetTop: top, offsetLeft: left } = entry;
        this.rail.scrollTo({ top: top - this.rail.clientHeight / 2, left: left - this.rail.clientWidth / 2 });
      } else entry.removeAttribute("aria-current");
    });
  }

  // The strip beside the scroll bar: where in the whole conversation the marks stand.
  measure() {
    if (!this.text) return;
    const whole = this.pane.scrollHeight;
    const ticks = [];
    for (const [at, look, , words] of this.state.marks) {
      const turn = this.turns[at];
      if (turn.hidden || look === "history") continue;
      const tick = make("div", "tick");
      tick.dataset.look = look;
      tick.style.top = `${(100 * (turn.offsetTop + turn.offsetHeight / 2)) / whole}%`;
      tick.title = `${this.text.turns[at].id}: ${words}`;
      tick.onclick = () => this.goto(at);
      ticks.push(tick);
    }
    this.ruler.replaceChildren(...ticks);
  }

  // --- selecting

  select(at) {
    this.turns.forEach((turn, place) => {
      turn.classList.toggle("selected", place === at);
      if (place === at) turn.setAttribute("aria-current", "true");
      else turn.removeAttribute("aria-current");
    });
    if (at !== null) this.at = at;
  }

  choose(turn) {
    const at = Number(turn.dataset.at);
    const again = turn.classList.contains("selected");
    this.rove(turn);
    this.state = { ...this.state, selected: again ? null : at };
    this.select(this.state.selected);
    this.say();
    this.onselect(again ? "" : this.text.turns[at].id);
  }

  click(event) {
    const fold = event.target.closest(".fold");
    const turn = event.target.closest(".turn");
    if (fold) {
      const open = fold.parentElement.classList.toggle("folded") === false;
      fold.textContent = open ? "Show less" : fold.dataset.closed;
      if (!open) this.show(Number(turn.dataset.at));
      this.measure();
    } else if (turn && this.pane.getRootNode().getSelection?.()?.isCollapsed !== false) {
      this.choose(turn);
    }
  }

  key(event) {
    const turn = event.target.closest(".turn");
    if (!turn || event.target !== turn) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      let at = Number(turn.dataset.at) + step;
      while (this.turns[at]?.hidden) at += step;
      const next = this.turns[at];
      if (next) {
        this.rove(next);
        next.focus({ preventScroll: true });
        next.scrollIntoView({ block: "nearest" });
      }
    } else if (event.key === "Enter" || event.key === " ") this.choose(turn);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  rove(turn) {
    if (!turn) return;
    for (const [row, place] of [[this.roving, -1], [turn, 0]]) {
      if (!row) continue;
      row.tabIndex = place;
      row.querySelectorAll(".fold").forEach((fold) => (fold.tabIndex = place));
    }
    if (this.turns[0] !== turn) this.turns[0].tabIndex = -1;
    this.roving = turn;
  }
}

function glyph(look) {
  const sign = make("span", "glyph");
  sign.dataset.look = look;
  sign.setAttribute("aria-hidden", "true");
  return sign;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".chat");
  const board = (globalThis.cuememChat ??= {});
  const chat = (root.chat ??= new Chat(root));
  chat.onselect = (id) => setTriggerValue("turn", id);
  board.chat = chat;
  if (chat.text?.revision !== data.revision) chat.fill(data);
  if (board.state) chat.lay(board.state);
  return () => {
    if (!root.isConnected) chat.watch.disconnect();
    if (board.chat === chat && !root.isConnected) board.chat = board.state = null;
  };
}
