import { element } from "./dom.js";
export class Progress { constructor() { this.root = element("p", {}, "Progress"); } start() {} }
