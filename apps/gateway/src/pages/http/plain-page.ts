import { createHash } from 'node:crypto'
import { Reply } from '../../http/reply.ts'

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}
h1{font-size:1.5rem}
li{margin:.25rem 0}
a{color:inherit}
code{font-family:ui-monospace,monospace}`

/** The page may load nothing and send no requests. Its only style is allowed by its hash. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Makes a page of a few sentences that needs no other file. `main` is HTML from this repository: nothing of a request may be in it. After
 * `againInSeconds` the browser loads the page again by itself.
 */
export function plainPage(
  title: string,
  main: string,
  { status = 200, againInSeconds }: { status?: number; againInSeconds?: number } = {},
): Reply {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`
  return new Reply(Buffer.from(page), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-cache',
      ...(againInSeconds === undefined ? {} : { Refresh: String(againInSeconds), 'Retry-After': String(againInSeconds) }),
    },
  })
}
