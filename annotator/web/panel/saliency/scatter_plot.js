/** The drawing of the scatter: spots on a canvas, and a box or an outline around some of them. */
import { div, element } from "../shared/dom.js";
import { domainOf, fewCorners, holds, rounded, ticksOf } from "./scatter_points.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 24, 40];
/** A press that moves no further is a click. */
const STILL = 4;
/** How near to a spot one has to point. */
const NEAR = 9;
const MANY = 3000;

/**
 * isSame: both axes are the same number, of two runs
 * learned: the places of texts that the model of an axis learned from
 * @typedef {{spots: Spot[], learned: Set<number>, xTitle: string, yTitle: string, isSame: boolean, brush: Brush|null,
 *   current: number|null}} Plotted
 *   current: the place of the text on the screen
 */
/**
 * @typedef {Object} PlotActions
 * @property {(brush: Brush) => void} brushed
 * @property {(spot: Spot) => void} clicked
 * @property {(spot: Spot|null) => void} pointed
 */

export class ScatterPlot {
  /** @param {PlotActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Plotted} */
    this.shown = { spots: [], learned: new Set(), xTitle: "", yTitle: "", isSame: false, brush: null, current: null };
    /** Whether one draws an outline instead of a box. */
    this.isLasso = false;
    /** @type {[number, number][]|null}  where the pointer went since it was pressed */
    this.path = null;
    /** @type {Spot|null} */
    this.pointed = null;
    /** @type {[number, number]} */
    this.xDomain = [0, 1];
    /** @type {[number, number]} */
    this.yDomain = [0, 1];
    /** The axes and the spots, as they were drawn last. */
    this.ground = element("canvas");
    this.width = 0;
    this.height = 0;
    /** @type {Colours|null} */
    this.colours = null;
    this.canvas = element("canvas", { class: "scatter-canvas", role: "img" });
    this.canvas.addEventListener("pointerdown", (event) => this.#down(event));
    this.canvas.addEventListener("pointermove", (event) => this.#move(event));
    this.canvas.addEventListener("pointerup", (event) => this.#up(event));
    this.canvas.addEventListener("pointercancel", () => this.#drop());
    this.canvas.addEventListener("pointerleave", () => this.#point(null));
    this.root = div("scatter-plot", this.canvas);
    this.widths = new ResizeObserver(() => this.draw());
    this.widths.observe(this.root);
  }

  /** @param {Plotted} shown */
  show(shown) {
    this.shown = shown;
    const [xs, ys] = [shown.spots.map(({ x }) => x), shown.spots.map(({ y }) => y)];
    this.xDomain = domainOf(shown.isSame ? [...xs, ...ys] : xs);
    this.yDomain = shown.isSame ? this.xDomain : domainOf(ys);
    this.pointed = null;
    this.draw();
  }

  /** @param {Brush|null} brush */
  select(brush) {
    this.shown = { ...this.shown, brush };
    this.draw();
  }

  /** @param {number|null} current  the place of the text on the screen */
  mark(current) {
    this.shown = { ...this.shown, current };
    this.#drawOver();
  }

  /** @param {number} x */
  #left(x) {
    const [low, high] = this.xDomain;
    return LEFT + ((x - low) / (high - low)) * (this.width - LEFT - RIGHT);
  }

  /** @param {number} y */
  #top(y) {
    const [low, high] = this.yDomain;
    return this.height - BOTTOM - ((y - low) / (high - low)) * (this.height - TOP - BOTTOM);
  }

  /**
   * The two numbers at a place of the drawing, no more precise than one can point.
   * @param {[number, number]} place
   * @returns {[number, number]}
   */
  #numbersAt([left, top]) {
    const [xLow, xHigh] = this.xDomain;
    const [yLow, yHigh] = this.yDomain;
    return [
      rounded(xLow + ((left - LEFT) / (this.width - LEFT - RIGHT)) * (xHigh - xLow), this.xDomain),
      rounded(yLow + ((this.height - BOTTOM - top) / (this.height - TOP - BOTTOM)) * (yHigh - yLow), this.yDomain),
    ];
  }

  /** Draws everything anew. */
  draw() {
    const { clientWidth: width, clientHeight: height } = this.root;
    [this.width, this.height] = [width, height];
    const pen = this.ground.getContext("2d");
    if (!width || !height || !pen) return;
    const scale = devicePixelRatio || 1;
    for (const canvas of [this.ground, this.canvas]) {
      canvas.width = width * scale;
      canvas.height = height * scale;
    }
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.colours = coloursOf(this.root);
    this.#drawAxes(pen, this.colours);
    this.#drawSpots(pen, this.colours);
    this.#drawOver();
  }

  /** What follows the pointer, over the spots as they were drawn last: of 20,000 nobody can draw all in a frame. */
  #drawOver() {
    const pen = this.canvas.getContext("2d");
    if (!pen || !this.colours) return;
    const scale = devicePixelRatio || 1;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.ground, 0, 0);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.#drawRings(pen, this.colours);
    this.#drawBrush(pen, this.colours);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Colours} colours */
  #drawAxes(pen, { ink, quiet, line }) {
    const { xTitle, yTitle, isSame } = this.shown;
    const [width, bottom] = [this.width, this.height - BOTTOM];
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 1;
    pen.strokeStyle = line;
    pen.fillStyle = quiet;
    pen.textAlign = "center";
    for (const { value, words } of ticksOf(this.xDomain, width / 110)) {
      stroke(pen, [this.#left(value), TOP], [this.#left(value), bottom]);
      pen.fillText(words, this.#left(value), bottom + 15);
    }
    pen.textAlign = "right";
    for (const { value, words } of ticksOf(this.yDomain, Math.max(3, this.height / 50))) {
      stroke(pen, [LEFT, this.#top(value)], [width - RIGHT, this.#top(value)]);
      pen.fillText(words, LEFT - 6, this.#top(value) + 4);
    }
    if (isSame) {
      pen.setLineDash([5, 4]);
      pen.strokeStyle = quiet;
      stroke(pen, [LEFT, bottom], [width - RIGHT, TOP]);
      pen.setLineDash([]);
    }
    pen.fillStyle = ink;
    pen.textAlign = "center";
    pen.fillText(fitted(pen, xTitle, width - LEFT), LEFT + (width - LEFT - RIGHT) / 2, this.height - 6);
    pen.textAlign = "left";
    pen.fillText(fitted(pen, `↑ ${yTitle}`, width), 0, 12);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Colours} colours */
  #drawSpots(pen, { accent, quiet }) {
    const { spots, learned, brush } = this.shown;
    const isMany = spots.length > MANY;
    for (const isChosen of brush ? [false, true] : [true]) {
      pen.fillStyle = pen.strokeStyle = isChosen ? accent : quiet;
      pen.lineWidth = 1.5;
      pen.globalAlpha = isChosen ? (isMany ? 0.5 : 0.7) : 0.28;
      for (const spot of spots) {
        if (brush && holds(brush, spot.x, spot.y) !== isChosen) continue;
        const size = this.#sizeOf(spot);
        const [left, top] = [this.#left(spot.x), this.#top(spot.y)];
        const isOpen = spot.places.every((place) => learned.has(place));
        if (isMany && isOpen) pen.strokeRect(left - size, top - size, 2 * size, 2 * size);
        else if (isMany) pen.fillRect(left - size, top - size, 2 * size, 2 * size);
        else disc(pen, left, top, size, isOpen);
      }
    }
    pen.globalAlpha = 1;
  }

  /**
   * Rings around the text on the screen, and around what is pointed at.
   * @param {CanvasRenderingContext2D} pen
   * @param {Colours} colours
   */
  #drawRings(pen, { ink, paper }) {
    const { spots, current } = this.shown;
    const here = current === null ? undefined : spots.find(({ places }) => places.includes(current));
    for (const [spot, room] of /** @type {[Spot|null|undefined, number][]} */ ([
      [here, 4],
      [this.pointed, 2],
    ])) {
      if (!spot) continue;
      for (const [colour, breadth] of /** @type {[string, number][]} */ ([
        [paper, 5],
        [ink, 2],
      ])) {
        pen.strokeStyle = colour;
        pen.lineWidth = breadth;
        pen.beginPath();
        pen.arc(this.#left(spot.x), this.#top(spot.y), this.#sizeOf(spot) + room, 0, 2 * Math.PI);
        pen.stroke();
      }
    }
  }

  /** By the number of its texts: the area, so that four look twice as wide as one. @param {Spot} spot */
  #sizeOf({ places }) {
    return Math.min(14, (this.shown.spots.length > MANY ? 1.5 : 3.5) * Math.sqrt(places.length));
  }

  /** @param {CanvasRenderingContext2D} pen @param {Colours} colours */
  #drawBrush(pen, { accent }) {
    const corners = this.path && this.path.length > 1 ? this.#corners(this.path) : this.#cornersOfBrush();
    if (!corners.length) return;
    pen.strokeStyle = accent;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    corners.forEach(([left, top]) => pen.lineTo(left, top));
    pen.closePath();
    pen.stroke();
    pen.setLineDash([]);
  }

  /** @param {[number, number][]} path @returns {[number, number][]} */
  #corners(path) {
    const [[left, top], [right, bottom]] = [path[0], path[path.length - 1]];
    return this.isLasso
      ? path
      : [
          [left, top],
          [right, top],
          [right, bottom],
          [left, bottom],
        ];
  }

  /** @returns {[number, number][]} */
  #cornersOfBrush() {
    const { brush } = this.shown;
    if (!brush) return [];
    if (brush.outline.length) return brush.outline.map(([x, y]) => [this.#left(x), this.#top(y)]);
    const [left, right] = brush.xs.map((x, at) => this.#left(clipped(x ?? this.xDomain[at], this.xDomain)));
    const [bottom, top] = brush.ys.map((y, at) => this.#top(clipped(y ?? this.yDomain[at], this.yDomain)));
    return [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ];
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  #place(event) {
    const box = this.canvas.getBoundingClientRect();
    const left = Math.min(box.width - RIGHT, Math.max(LEFT, event.clientX - box.left));
    return [left, Math.min(this.height - BOTTOM, Math.max(TOP, event.clientY - box.top))];
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.path = [this.#place(event)];
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (!this.path) return this.#point(this.#nearest(this.#place(event)));
    this.path.push(this.#place(event));
    return this.#drawOver();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const path = this.path;
    if (!path) return;
    path.push(this.#place(event));
    this.path = null;
    const isClick = path.every(([left, top]) => Math.hypot(left - path[0][0], top - path[0][1]) <= STILL);
    const spot = isClick ? this.#nearest(path[0]) : null;
    if (spot) this.actions.clicked(spot);
    if (isClick) this.#drawOver();
    else this.actions.brushed(this.#brushOf(path));
  }

  /** @param {[number, number][]} path @returns {Brush} */
  #brushOf(path) {
    const ends = [path[0], path[path.length - 1]].map((place) => this.#numbersAt(place));
    const outline = fewCorners(path).map((place) => this.#numbersAt(place));
    if (this.isLasso) return { xs: [null, null], ys: [null, null], outline };
    const [xs, ys] = [0, 1].map((axis) => ends.map((end) => end[axis]).sort((one, other) => one - other));
    return { xs: [xs[0], xs[1]], ys: [ys[0], ys[1]], outline: [] };
  }

  #drop() {
    this.path = null;
    this.#drawOver();
  }

  /** @param {Spot|null} spot */
  #point(spot) {
    if (spot === this.pointed) return;
    this.pointed = spot;
    this.canvas.style.cursor = spot ? "pointer" : "";
    this.#drawOver();
    this.actions.pointed(spot);
  }

  /** @param {[number, number]} place */
  #nearest([left, top]) {
    /** @type {Spot|null} */
    let nearest = null;
    let least = Infinity;
    for (const spot of this.shown.spots) {
      const distance = Math.hypot(this.#left(spot.x) - left, this.#top(spot.y) - top);
      if (distance < least && distance <= Math.max(NEAR, this.#sizeOf(spot) + 2)) [nearest, least] = [spot, distance];
    }
    return nearest;
  }

  destroy() {
    this.widths.disconnect();
  }
}

/** @typedef {{ink: string, quiet: string, line: string, accent: string, paper: string}} Colours */

/** The page's own colours, in either theme. @param {HTMLElement} root @returns {Colours} */
function coloursOf(root) {
  const probe = element("span", { hidden: true });
  root.append(probe);
  /** A canvas takes no variables, so each is worked out by an element. @param {string} name */
  const of = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = { ink: of("ink"), quiet: of("quiet"), line: of("line"), accent: of("primary"), paper: of("paper") };
  probe.remove();
  return colours;
}

/**
 * What has no room is cut, with dots: the menus say it whole.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} words
 * @param {number} room
 */
function fitted(pen, words, room) {
  if (pen.measureText(words).width <= room) return words;
  let length = words.length;
  while (length > 1 && pen.measureText(`${words.slice(0, length)}…`).width > room) length -= 1;
  return `${words.slice(0, length)}…`;
}

/** @param {CanvasRenderingContext2D} pen @param {[number, number]} from @param {[number, number]} to */
function stroke(pen, from, to) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} left
 * @param {number} top
 * @param {number} size
 * @param {boolean} isOpen  not filled
 */
function disc(pen, left, top, size, isOpen) {
  pen.beginPath();
  pen.arc(left, top, size, 0, 2 * Math.PI);
  if (isOpen) pen.stroke();
  else pen.fill();
}

/** @param {number} value @param {[number, number]} domain */
const clipped = (value, [low, high]) => Math.min(high, Math.max(low, value));
