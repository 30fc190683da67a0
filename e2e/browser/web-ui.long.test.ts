import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { until } from '@herald/testing/until'
import axe from 'axe-core'
import { build } from 'esbuild'
import type { Page } from 'puppeteer-core'
import { beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from './shop.ts'
import { watch } from './watch.ts'

// A React app of a customer, bundled from the published package, and the element <herald-ask>, in Firefox under a strict content security policy.

const root = resolve(import.meta.dirname, '../..')
let shop: Shop

beforeAll(async () => {
  shop = await openShop()
  const folder = mkdtempSync(join(tmpdir(), 'herald-ui-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules/@herald'), { recursive: true })
  execFileSync(process.execPath, [join(root, 'sdks/web/build.ts'), join(folder, 'node_modules/@herald/web')], { stdio: 'ignore' })
  const { outputFiles } = await build({
    stdin: { contents: app, resolveDir: folder, loader: 'js' },
    nodePaths: [join(root, 'node_modules')],
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: folder,
    entryNames: 'app',
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  for (const { path, text } of outputFiles) shop.site.files.set(`/ui/${basename(path)}`, text)
  const pageOf = (language: string, elements: string) =>
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,"></head>
<body><main><h1>Shop</h1><p id="root"></p></main>${elements}<script type="module" src="/ui/app.js"></script></body></html>`
  shop.site.files
    .set('/ui/ask', pageOf('de-AT', '<herald-ask heading="Angebote bekommen?"></herald-ask>'))
    .set('/ui/bell', pageOf('fr', '<herald-ask kind="bell"></herald-ask>'))
})

const app = `import { init } from '@herald/web'
import { HeraldProvider, usePush } from '@herald/web/react'
import { defineAsk } from '@herald/web/ui'
import { pushStore } from '@herald/web/svelte'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'

const herald = init(JSON.parse(new URLSearchParams(location.hash.slice(1)).get('options')))
const Push = () => {
  const { state, ready } = usePush()
  return h('span', null, state === undefined ? 'unknown' : (state.subscribed ? 'subscribed' : 'not subscribed') + (ready ? ', ready' : ''))
}
createRoot(document.getElementById('root')).render(h(HeraldProvider, { herald }, h(Push)))
window.svelte = []
pushStore(herald).subscribe(({ state }) => svelte.push(state?.subscribed))
window.herald = herald
defineAsk(herald)`

async function open(path: string, before = '') {
  const page = await shop.browser.newPage()
  const watched = watch(page, { origins: [shop.herald.baseUrl] })
  if (before !== '') await page.evaluateOnNewDocument(before)
  const options = JSON.stringify({ baseUrl: shop.herald.baseUrl, appKey: shop.tenant.publicKey, workerUrl: '/herald-sw.js' })
  await page.goto(`${shop.site.origin}${path}#options=${encodeURIComponent(options)}`)
  return { page, watched }
}
const shadow = `document.querySelector('herald-ask').shadowRoot`
const textOf = (page: Page) => page.evaluate(`${shadow}.textContent`) as Promise<string>
const press = (page: Page, label: string) =>
  until(
    () =>
      page.evaluate(
        `(() => { const one = [...${shadow}.querySelectorAll('button')].find((one) => (one.textContent || one.title) === '${label}'); one?.click(); return !!one })()`,
      ),
    {
      what: `the button ${label}`,
    },
  )
const says = (page: Page, text: string) => until(async () => (await textOf(page)).includes(text), { what: text })
const shows = (page: Page, text: string) =>
  until(async () => (await page.evaluate(`document.getElementById('root').textContent`)) === text, { what: text })
const barriersOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(`delete window.module; ${axe.source}`)
  return page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id }) => id))`) as Promise<string[]>
}

// spec: web/ask, web/frameworks
test('the element asks in the page’s language and words, remembers a no, and after a yes subscribes the browser', async () => {
  const first = await open('/ui/ask')
  await says(first.page, 'Angebote bekommen?')
  expect(await textOf(first.page)).toContain('Sie können es jederzeit abschalten.')
  await shows(first.page, 'not subscribed, ready')
  expect(await barriersOf(first.page)).toEqual([])
  await press(first.page, 'Jetzt nicht')
  await until(async () => (await textOf(first.page)) === '', { what: 'the question is gone' })
  await first.page.close()

  const second = await open('/ui/ask')
  await shows(second.page, 'not subscribed, ready')
  await second.page.evaluate('herald.softAsk(() => expect()).then(() => null)')
  expect(await textOf(second.page)).toBe('')
  await second.page.close()

  const later = await open('/ui/ask', 'const now = Date.now.bind(Date); Date.now = () => now() + 15 * 86_400_000')
  await says(later.page, 'Angebote bekommen?')
  await press(later.page, 'Ja, gern')
  await shows(later.page, 'subscribed, ready')
  expect(await later.page.evaluate('svelte.at(-1)')).toBe(true)
  expect([...first.watched.faults, ...second.watched.faults, ...later.watched.faults]).toEqual([])
  await later.page.close()
})

// spec: web/ask
test('the bell shows and switches the state, explains unblocking and iPhones, and closes with Escape', async () => {
  const { page, watched } = await open('/ui/bell')
  await press(page, 'Notifications')
  await says(page, 'Les notifications sont activées.')
  expect(await barriersOf(page)).toEqual([])
  await press(page, 'Désactiver')
  await says(page, 'Les notifications sont désactivées.')
  await press(page, 'Activer')
  await says(page, 'Les notifications sont activées.')
  await page.keyboard.press('Escape')
  await until(async () => !(await textOf(page)).includes('activées'), { what: 'the panel is closed' })
  expect(watched.faults).toEqual([])
  await page.close()

  const blocked = await open('/ui/bell', `Object.defineProperty(Notification, 'permission', { value: 'denied' })`)
  await press(blocked.page, 'Notifications')
  await says(blocked.page, 'Les notifications sont bloquées.')
  await blocked.page.close()

  const iPhone = `delete window.PushManager; Object.defineProperties(Navigator.prototype, { userAgent: { value: 'iPhone' }, maxTouchPoints: { value: 5 } })`
  const phone = await open('/ui/bell', iPhone)
  await press(phone.page, 'Notifications')
  await says(phone.page, 'Sur l’écran d’accueil')
  await phone.page.close()
})

// spec: web/ask
test('the bell offers to install the site where the browser does', async () => {
  const { page } = await open('/ui/bell')
  await shows(page, 'subscribed, ready')
  await page.evaluate(
    `window.prompted = 0; dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt: async () => { prompted += 1 } }))`,
  )
  await press(page, 'Notifications')
  await press(page, 'Installer l’application')
  expect(await page.evaluate('prompted')).toBe(1)
  await page.close()
})
