import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Reply } from '../../http/reply.ts'
import { route } from '../../http/route.ts'

const require = createRequire(import.meta.url)
const { version } = require('swagger-ui-dist/package.json') as { version: string }

/**
 * The page may load files from the gateway only, and send requests to the gateway only. `unsafe-inline` and `data:` are for Swagger UI, which has
 * styles in attributes and icons in `data:` addresses.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Herald API</title>
<link rel="icon" type="image/png" href="/docs/favicon.png?v=${version}">
<link rel="stylesheet" href="/docs/swagger-ui.css?v=${version}">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui.js?v=${version}"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** `validatorUrl: null` keeps the browser from sending the document to a validator on the internet. */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
})
`

const text = (mediaType: string, body: string) =>
  new Reply(Buffer.from(body), {
    headers: { 'content-type': `${mediaType}; charset=utf-8`, 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' },
  })

/** The page that shows the API in a browser (Swagger UI). It needs nothing from the internet. */
export const docs = route({
  name: 'readDocs',
  method: 'get',
  path: '/docs',
  key: 'none',
  withoutDatabase: true,
  status: 200,
  summary: 'An interactive browser of this document',
  mediaType: 'text/html',
  answer: async () => text('text/html', page),
})

/**
 * The files that the page needs; swagger-ui-dist as a whole has twelve megabytes. The page asks for each file with the package's version, so a
 * browser may cache it for good.
 */
const files = [
  { name: 'swagger-ui.css', file: 'swagger-ui.css', mediaType: 'text/css; charset=utf-8' },
  { name: 'swagger-ui.js', file: 'swagger-ui-bundle.js', mediaType: 'text/javascript; charset=utf-8' },
  { name: 'favicon.png', file: 'favicon-32x32.png', mediaType: 'image/png' },
] as const

export const docsFiles = [
  route({
    name: 'readDocsStart',
    method: 'get',
    path: '/docs/start.js',
    key: 'none',
    withoutDatabase: true,
    status: 200,
    summary: 'Starts the browser of the API',
    answer: async () => text('text/javascript', start),
  }),
  ...files.map(({ name, file, mediaType }) => {
    let read: Promise<Buffer> | undefined
    return route({
      name: `readDocs ${name}`,
      method: 'get',
      path: `/docs/${name}`,
      key: 'none',
      withoutDatabase: true,
      status: 200,
      summary: 'A part of the browser of the API',
      async answer() {
        read ??= readFile(require.resolve(`swagger-ui-dist/${file}`))
        return new Reply(await read, { headers: { 'content-type': mediaType, 'Cache-Control': 'public, max-age=31536000, immutable' } })
      },
    })
  }),
]
