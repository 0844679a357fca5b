globalThis.annotatorWords = {};
