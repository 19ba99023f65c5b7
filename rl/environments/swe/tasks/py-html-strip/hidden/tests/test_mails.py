import unittest

from plaintext import to_text


class MailsTest(unittest.TestCase):
    def check(self, html, text):
        self.assertEqual(to_text(html), text)

    def test_hidden(self):
        self.check("a<script>if (1 > 0) x('<b>')</script>b<!-- > c -->", "ab")
        self.check("<style>p > a {}</style>x<SCRIPT>1</SCRIPT>", "x")

    def test_entities(self):
        self.check("a &lt;b&gt; &amp;lt; &eacute;&#8364;", "a <b> &lt; é€")
        self.check("a&nbsp;&nbsp;b", "a b")

    def test_blocks(self):
        self.check("<div>a</div><div>b</div>c", "a\nb\nc")
        self.check("a<br>b<br/>c", "a\nb\nc")
        self.check("<div><div>a</div></div>\n <div> b </div>", "a\nb")

    def test_paragraphs(self):
        self.check("<h1>T</h1><p>a</p><p>b</p><div>c</div>", "T\n\na\n\nb\n\nc")
        self.check("<p>a</p><br><br><br><p>b</p>", "a\n\nb")

    def test_blanks(self):
        self.check("  a \n\t b  <b> c</b> ", "a b c")
        self.check("a<b>b</b>c", "abc")
        self.check("<div>a </div><div> b</div>", "a\nb")

    def test_lists_and_tables(self):
        self.check("<ul><li>a</li><li><b>b</b> c</li></ul>", "- a\n- b c")
        self.check("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a\tb\n1\t2")

    def test_pre(self):
        self.check("x<pre>a\n  b\n</pre>y", "x\na\n  b\ny")

    def test_links(self):
        self.check('see <a href="https://x.y">here</a>.', "see here (https://x.y).")
        self.check('<a href="https://x.y">https://x.y</a>', "https://x.y")
        self.check("<a>x</a> <a name='y'>z</a>", "x z")
        self.check('<a href="https://x.y"><b>a</b> b</a>', "a b (https://x.y)")

    def test_unclosed(self):
        self.check("<p>a<p>b", "a\n\nb")
        self.check("a < b", "a < b")
        self.check("", "")
