import { element } from "./dom.js";
export class Mine { constructor() { this.root = element("p", {}, "Mine"); } start() {} }
