import { createHash } from 'node:crypto'
import { notFound } from '@herald/contracts/fault'
import manifest from '../../../package.json' with { type: 'json' }
import { plainPage } from './plain-page.ts'
import { Reply } from '../../http/reply.ts'
import { route } from '../../http/route.ts'
import { replyWith, type StaticFile, type StaticFiles } from './static-files.ts'

const policyOf = (...more: string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join('; ')

/** A page may load files and send requests to the gateway only, apart from images that it makes itself (spec: administration/dashboard-served). */
const pagePolicy = policyOf("require-trusted-types-for 'script'", 'trusted-types herald-sw')
/**
 * The policy of scripts. It does not demand Trusted Types: a service worker loads its second file with importScripts, which would need a Trusted
 * Types policy of its own.
 */
const workerPolicy = policyOf()

const alone = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  // `no-referrer` would be wrong: a browser may then send a change with the origin `null`.
  'Referrer-Policy': 'same-origin',
}
const askedEachTime = { 'Cache-Control': 'no-cache' }
const keptForGood = { 'Cache-Control': 'public, max-age=31536000, immutable' }
const policyFor = ({ mediaType }: StaticFile) => ({
  'Content-Security-Policy': mediaType.startsWith('text/javascript') ? workerPolicy : pagePolicy,
})

const open = { method: 'get', key: 'none', withoutDatabase: true, status: 200 } as const

const dashboard = (['/dashboard', '/dashboard/', '/dashboard/*rest'] as const).map((path) =>
  route({
    ...open,
    name: `readDashboard ${path}`,
    path,
    summary: 'The dashboard',
    async answer({ pages: { dashboard: files } }, { rest, header }) {
      if (!files) throw notFound()
      if (rest[0] === 'assets') {
        const asset = await files.read(rest)
        if (!asset) throw notFound()
        return replyWith(asset, header, { ...alone, ...policyFor(asset), ...keptForGood })
      }
      const file = (rest.length === 1 ? await files.read(rest) : undefined) ?? (await files.read(['index.html']))
      if (file) return replyWith(file, header, { ...alone, ...policyFor(file), ...askedEachTime })
      const main = '<p><code>npm start</code> builds it, and this page opens it as soon as it is there. The images contain it.</p>'
      return plainPage('The dashboard is not built', main, { status: 503, againInSeconds: 3 })
    },
  }),
)

/** The headers of files that pages of other origins load with script elements. CORS lets the browser check their `integrity`. */
const loadable = { 'Cache-Control': 'public, max-age=3600', 'Cross-Origin-Resource-Policy': 'cross-origin' }
export const webSdkFiles = ['herald.iife.js', 'worker.iife.js', 'herald.mjs', 'worker.mjs']

const webSdk = [
  route({
    ...open,
    name: 'readWebSdkIntegrity',
    path: '/sdk/v1/integrity.json',
    anyOrigin: true,
    summary: 'What to write into `integrity` for each file of the web SDK',
    async answer({ pages: { webSdk: files } }) {
      const found = await Promise.all(webSdkFiles.map(async (name) => [name, await files.read([name])] as const))
      const hashes = found.flatMap(([name, file]) => (file ? [[name, integrityOf(file)] as const] : []))
      if (hashes.length === 0) throw notFound()
      return new Reply(Object.fromEntries(hashes), { headers: loadable })
    },
  }),
  route({
    ...open,
    name: 'readWebSdk',
    path: '/sdk/v1/*rest',
    anyOrigin: true,
    summary: 'The web SDK, and the packages of all SDKs',
    async answer({ pages: { webSdk: files } }, { rest, header }) {
      const [name = '', ...more] = rest
      if (name.endsWith('.tgz') && more.length === 0) return replyWithPackage(files, name, header)
      const file = await files.read(rest)
      if (!file || !/javascript|json/.test(file.mediaType)) throw notFound()
      return replyWith(file, header, loadable)
    },
  }),
]

/**
 * Answers with a package: `web-0.2.0.tgz` never changes, so that lock files stay right, and `web.tgz` leads to the newest. Fault not_found.
 */
async function replyWithPackage(files: StaticFiles, name: string, header: (name: string) => string | undefined): Promise<Reply> {
  const index = await files.read(['packages', 'newest.json'])
  const newest = new Map(Object.entries(JSON.parse(index?.bytes.toString() ?? '{}') as Record<string, string>)).get(
    name.replace(/\.tgz$/, ''),
  )
  if (newest !== undefined) return new Reply(undefined, { status: 302, headers: { Location: `/sdk/v1/${newest}`, ...askedEachTime } })
  const file = await files.read(['packages', name])
  if (!file) throw notFound()
  return replyWith(file, header, { ...loadable, ...keptForGood })
}

const integrityOf = ({ bytes }: StaticFile): string => `sha384-${createHash('sha384').update(bytes).digest('base64')}`

const guide = [
  route({
    ...open,
    name: 'readGuideIndex',
    path: '/docs/guide',
    status: 308,
    summary: 'The guides begin at /docs/guide/',
    answer: async () => new Reply(undefined, { headers: { Location: '/docs/guide/', ...askedEachTime } }),
  }),
  ...(['/docs/guide/', '/docs/guide/*rest'] as const).map((path) =>
    route({
      ...open,
      name: `readGuide ${path}`,
      path,
      summary: 'A guide',
      async answer({ pages: { guide: files } }, { rest, header }) {
        const last = rest.at(-1)
        const file =
          last === undefined
            ? await files.read(['index.html'])
            : ((await files.read(rest)) ?? (await files.read([...rest.slice(0, -1), `${last}.html`])))
        if (file) return replyWith(file, header, { ...alone, 'Content-Security-Policy': pagePolicy, ...askedEachTime })
        if (await files.read(['index.html'])) throw notFound()
        const main =
          '<p><code>npm start</code> builds them from <code>docs/guide</code>. <a href="/docs">The browser of the API</a> is here.</p>'
        return plainPage('The guides are not built', main, { status: 503 })
      },
    }),
  ),
  route({
    ...open,
    name: 'readGuideText',
    path: '/docs/llms.txt',
    summary: 'All guides as one text',
    async answer({ pages: { guide: files } }, { header }) {
      const file = await files.read(['llms.txt'])
      if (!file) throw notFound()
      return replyWith(file, header, askedEachTime)
    },
  }),
]

const welcome = (withDashboard: boolean) => `<p>This is an installation of Herald, an open push-notification platform.</p>
<ul>
${withDashboard ? '<li><a href="/dashboard">Dashboard</a>: apps, people, sends and what became of them</li>\n' : ''}<li><a href="/docs/guide/">Guides</a>: one task a page</li>
<li><a href="/docs">API</a>: every operation, to be tried here</li>
</ul>
<p>The description of the API for programs is <a href="/openapi.json">/openapi.json</a>.</p>`

const start = route({
  ...open,
  name: 'readStart',
  path: '/',
  summary: 'Where the dashboard and the documentation are: a page for browsers, JSON for programs',
  async answer({ pages }, { header }) {
    const vary = { Vary: 'Accept' }
    if (/\btext\/html\b/.test(header('accept') ?? '')) {
      const page = plainPage('Herald', welcome(pages.dashboard !== undefined))
      return new Reply(page.body, { headers: { ...page.headers, ...vary } })
    }
    const there = { docs: '/docs', guide: '/docs/guide/', openapi: '/openapi.json', health: '/health' }
    const body = { name: 'Herald', version: manifest.version, ...(pages.dashboard && { dashboard: '/dashboard' }), ...there }
    return new Reply(body, { headers: vary })
  },
})

/** The routes of the start page, the dashboard, the web SDK and the guides. */
export const pages = [start, ...dashboard, ...webSdk, ...guide]
