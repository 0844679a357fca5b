"""What is known of words, signs and numbers, without a word about who changes a text with it.

Two kinds of functions read it. The changes of functional tests (annotator/perturb/text_changes.py) change a whole text wherever
they can, in the manner of CheckList, and what a saved seed makes of a text must stay. The suggestions
(annotator/perturb/suggestions) offer a person one place after another, and leave out the places where a rule might be wrong.
Where the two differ for that reason, the module says so.
"""
