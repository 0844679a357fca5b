import { element } from "./dom.js";
export class Check { constructor() { this.root = element("p", {}, "Check"); } start() {} }
