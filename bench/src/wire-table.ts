import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'

const help = `npm run bench:wire [-- --keep]

What goes over the wire to APNs, FCM and push services for thirty sends: path, headers and body, as an HTTP/2 server of Node's own got them. Nothing is
measured. Authorization is left out, ids and dates are the same in each run. --keep writes the table to bench/results.`

const values = readOptions(help, { keep: false })

const chrome = 'fcm.googleapis.com'
const windows = 'wns2-par02p.notify.windows.com'
const entry = { title: 'Shipped', body: 'Your order is on its way' }
const rich = {
  ...entry,
  url: 'https://shop.example/orders/17',
  image: 'https://cdn.example/17.png',
  actions: [{ id: 'open', title: 'Open', url: 'https://shop.example/orders/17' }],
}
const presentation = (shown: object) => ({ presentation: shown })
const overrides = (of: object) => ({ overrides: of })

/** A process of a version that does not know `overrides` ignores it. */
const sends: [name: string, send: object, browser?: string][] = [
  ['a text alone', {}],
  ['a text with link, picture and action', { content: { _default: 'en', en: rich } }],
  ['a text with a placeholder', { content: { _default: 'en', en: { ...entry, body: 'Order {{ data.order }}' } }, data: { order: '17' } }],
  ['data', { data: { order: '17', kind: 'shipped' } }],
  ['priority normal', { priority: 'normal' }],
  ['a collapseId', { collapseId: 'order-17' }],
  ['a collapseId that no header carries', { collapseId: 'bestellung für März' }],
  ['ttl 0', { ttl: 0 }],
  ['ttl 0 to Windows', { ttl: 0 }, windows],
  ['ttl 1 to Windows', { ttl: 1 }, windows],
  ['ttl of four weeks', { ttl: 2_419_200 }],
  ['a silent push', { silent: true, data: { sync: '1' } }],
  ['a silent push with a collapseId', { silent: true, data: { sync: '1' }, collapseId: 'sync' }],
  ['a silent push with a presentation', { silent: true, ...presentation({ sound: 'bell', badge: 3 }) }],
  ['a sound of the app', presentation({ sound: 'bell.caf' })],
  ['sound none', presentation({ sound: 'none' })],
  ['passive', presentation({ interruptionLevel: 'passive' })],
  ['passive with a sound', presentation({ interruptionLevel: 'passive', sound: 'bell.caf' })],
  ['time-sensitive', presentation({ interruptionLevel: 'time-sensitive' })],
  ['critical', presentation({ interruptionLevel: 'critical' })],
  ['badge 3', presentation({ badge: 3 })],
  ['badge 0', presentation({ badge: 0 })],
  ['thread, channel, icon and relevance', presentation({ threadId: 'orders', channelId: 'orders', icon: 'box', relevanceScore: 0.5 })],
  ['to Safari', { content: { _default: 'en', en: rich } }, 'web.push.apple.com'],
  ['to Firefox with a collapseId', { collapseId: 'order-17' }, 'updates.push.services.mozilla.com'],
  ['overrides: category and subtitle', overrides({ ios: { aps: { category: 'ORDER', alert: { subtitle: 'Order 17' } } } })],
  ['overrides: content-available', overrides({ ios: { aps: { 'content-available': 1 }, extra: { nested: [1, 2] } } })],
  [
    'overrides: click_action, direct_boot_ok, analytics_label',
    overrides({
      android: { direct_boot_ok: true, fcm_options: { analytics_label: 'spring' }, notification: { click_action: 'OPEN_ORDER' } },
    }),
  ],
  [
    'overrides: options of a browser',
    overrides({ web: { renotify: true, requireInteraction: true, vibrate: [100, 50], badge: 'https://cdn.example/badge.png' } }),
  ],
  ['overrides of a silent push', { silent: true, ...overrides({ ios: { aps: { sound: 'x' } }, android: { direct_boot_ok: true } }) }],
]

const program = resolve(import.meta.dirname, '../../apps/dispatcher/src/testing/show-wire.ts')
const input = JSON.stringify(sends.map(([name, send, browser = chrome]) => ({ name, send, browser })))
const { stdout, stderr, status } = spawnSync(process.execPath, [program], { encoding: 'utf8', input, timeout: 60_000 })
if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)

type Shown = { name: string; platform: string; skipped?: string; headers?: Record<string, unknown>; body?: unknown }
const table = JSON.parse(stdout) as Shown[]
for (const { name, platform, skipped, headers, body } of table) {
  say(`\n${name} · ${platform}`)
  if (skipped !== undefined) say(`  skipped: ${skipped}`)
  for (const [field, value] of Object.entries(headers ?? {})) say(`  ${field}: ${String(value)}`)
  if (body !== undefined) say(`  ${JSON.stringify(body)}`)
}
if (values.keep) keep('wire', { what: 'what goes over the wire to each provider for thirty sends', sends: sends.length, table })
