globalThis.annotatorWords = {
  "{n} seed": "{n} 个随机种子",
  "{n} set": "{n} 个依据集",
  "{n} text": "{n} 篇文本",
  "{n} token": "{n} 个词元",
  "{n} word": "{n} 个词"
};
