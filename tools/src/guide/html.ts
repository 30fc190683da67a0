import { createRequire } from 'node:module'
import { Marked, type Tokens } from 'marked'
import { addressOf, anchorOf, contents, pathOnSite, type Page } from './pages.ts'

// The package's types are not used: they load the types of browsers, and with them another `fetch` for the complete program.
const hljs = createRequire(import.meta.url)('highlight.js/lib/common') as {
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string }): { value: string }
}

/** Writes a page as HTML. It has no inline scripts or styles, so it works under a policy that allows only files from the same server. */
export function htmlOf(page: Page, pages: ReadonlyMap<string, Page>): string {
  const isGuide = page.path.startsWith('guide/')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · Herald</title>
<link rel="stylesheet" href="/docs/guide/guide.css">
<script src="/docs/guide/guide.js" defer></script>
</head>
<body>
<a class="skip" href="#text">To the text</a>
<header><a class="name" href="/docs/guide/">Herald</a> <nav aria-label="Places"><a href="/docs">API</a> <a href="/dashboard">Dashboard</a></nav>
<form role="search" id="search"><label for="q">Search</label> <input id="q" type="search" autocomplete="off" aria-controls="found"><ul id="found" hidden></ul></form></header>
<div class="sides">
<nav class="contents" aria-label="Contents">
${contentsOf(page, pages)}
</nav>
<main id="text">
${bodyOf(page, pages)}
${isGuide ? neighbours(page, pages) : ''}</main>
</div>
</body>
</html>
`
}

function contentsOf(page: Page, pages: ReadonlyMap<string, Page>): string {
  return contents
    .map(({ heading, pages: names }) => {
      const items = names.map((name) => {
        const path = `guide/${name}.md`
        const current = path === page.path ? ' aria-current="page"' : ''
        return `<li><a href="${pathOnSite(path)}"${current}>${escaped(pages.get(path)?.title ?? name)}</a></li>`
      })
      return `<h2>${heading}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
    })
    .join('\n')
}

function bodyOf(page: Page, pages: ReadonlyMap<string, Page>): string {
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens, text }: Tokens.Heading) {
        const words = this.parser.parseInline(tokens)
        return `<h${depth} id="${anchorOf(words.replaceAll(/<[^>]+>/g, '').replaceAll('&amp;', '&') || text)}">${words}</h${depth}>\n`
      },
      code({ text, lang }: Tokens.Code) {
        const [language = ''] = (lang ?? '').split(/\s+/)
        const code = hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escaped(text)
        return `<pre><code class="hljs">${code}</code></pre>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens)
        const address = addressOf({ page: page.path, href }, pages)
        // A link to a file that the gateway does not serve is replaced by its text.
        return address === undefined ? words : `<a href="${escaped(address)}">${words}</a>`
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escaped(addressOf({ page: page.path, href }, pages) ?? href)}" alt="${escaped(text)}" width="1280" height="800" loading="lazy">`
      },
      table(token: Tokens.Table) {
        const cell = (name: 'th' | 'td') => (each: Tokens.TableCell) => `<${name}>${this.parser.parseInline(each.tokens)}</${name}>`
        const rows = token.rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`)
        return `<div class="wide"><table><thead><tr>${token.header.map(cell('th')).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>\n`
      },
    },
  })
  return marked.parse(page.text, { async: false })
}

function neighbours(page: Page, pages: ReadonlyMap<string, Page>): string {
  const order = contents.flatMap(({ pages: names }) => names.map((name) => `guide/${name}.md`))
  const next = pages.get(order[order.indexOf(page.path) + 1] ?? '')
  return next === undefined ? '' : `<p class="next">Next: <a href="${pathOnSite(next.path)}">${escaped(next.title)}</a></p>\n`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
