// `node tools/src/write-guide.ts`: writes the pages of /docs/guide/ into dist/guide, from docs/guide and the other pages of docs/ (1 s). The gateway
// serves them.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { htmlOf } from './guide/html.ts'
import { fileOnSite, linksOf, pathOnSite, readPages } from './guide/pages.ts'
import { root } from './workspace.ts'

const out = join(root, 'dist', 'guide')
const pages = readPages(root)
const byPath = new Map(pages.map((page) => [page.path, page]))

rmSync(out, { recursive: true, force: true })
for (const page of pages) {
  const file = join(out, fileOnSite(page.path))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, htmlOf(page, byPath))
}
for (const name of ['guide.css', 'guide.js']) copyFileSync(join(import.meta.dirname, 'guide', name), join(out, name))
// Only pictures that a page shows are copied; all others are for readers of the repository.
const pictures = new Set(pages.flatMap(linksOf).flatMap((link) => /\bimages\/([a-z0-9-]+\.png)$/.exec(link.href)?.[1] ?? []))
mkdirSync(join(out, 'images'), { recursive: true })
for (const name of pictures) copyFileSync(join(root, 'docs', 'images', name), join(out, 'images', name))
// The page search looks in titles and headings.
writeFileSync(
  join(out, 'search.json'),
  JSON.stringify(
    pages.flatMap(({ path, title, headings }) =>
      headings.map(({ text, id, level }) => ({
        text: level === 1 ? title : `${title}: ${text}`,
        href: level === 1 ? pathOnSite(path) : `${pathOnSite(path)}#${id}`,
      })),
    ),
  ),
)
// All pages of the guide as one text, for programs that read them.
writeFileSync(
  join(out, 'llms.txt'),
  pages
    .filter(({ path }) => path.startsWith('guide/'))
    .map(({ text }) => text)
    .join('\n\n'),
)
console.log(`${pages.length} pages in ${out}`)
