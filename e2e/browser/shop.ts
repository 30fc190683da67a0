import type { Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { Browser, Page } from 'puppeteer-core'
import { startAutopush, type Autopush } from './autopush.ts'
import { freshProfile, openFirefox } from './browsers.ts'
import { startPlatform } from '../platform.ts'
import { startSite, type Site } from './site.ts'
import { watch, type Watched } from './watch.ts'

/** The state of the web SDK on a page. */
export type State = {
  supported: boolean
  permission: string
  subscribed: boolean
  subscriptionId?: string
  loggedIn: boolean
  optedIn: boolean
  waiting: number
  worker?: string
  lastError?: { code: string; status: number }
}

/** Everything that a test of the web SDK needs: a Herald, an app on it, a push service, a web site and a Firefox. */
export type Shop = {
  herald: Herald
  tenant: Tenant
  autopush: Autopush
  site: Site
  profile: string
  browser: Browser
  /** Closes Firefox and opens it again with the same profile. */
  restart(): Promise<void>
  /** Opens a page of the site and starts the SDK as `herald`; it may not be ready yet. `before` is a script that runs before those of the page. */
  open(options?: {
    path?: string
    before?: string
    /** Code that runs, and may use `await`, before `init` is called. */
    prepare?: string
    /** Further options for `init`, as source text. */
    init?: string
    expected?: RegExp
    origins?: string[]
  }): Promise<{ page: Page; watched: Watched }>
  /** Sends to one device and gives the id of the campaign. */
  send(subscriptionId: string, entry: Record<string, unknown>, more?: Record<string, unknown>): Promise<string>
  /** Waits until the counters of a campaign have these values. */
  counted(campaignId: string, counts: Record<string, number>): Promise<void>
  /** Reads a device and its user from Herald. */
  device(subscriptionId: string): Promise<{ user: Record<string, unknown>; device: Record<string, unknown> }>
}

/** The service worker of the site. Its notifications stay until a test closes them. */
export const worker = `importScripts('/herald/worker.iife.js'); Herald.start({ show: () => ({ requireInteraction: true }) })`

/** Starts Herald, the push service, the site and Firefox. All of them end with the test file. */
export async function openShop(): Promise<Shop> {
  const herald = await startPlatform()
  const [tenant, autopush, site] = await Promise.all([
    givenTenant(herald),
    startAutopush(herald.dataDir),
    startSite({ '/herald-sw.js': worker }),
  ])
  const profile = freshProfile()
  const shop: Shop = {
    herald,
    tenant,
    autopush,
    site,
    profile,
    browser: await openFirefox({ profile, pushService: autopush.url }),
    async restart() {
      await shop.browser.close()
      shop.browser = await openFirefox({ profile, pushService: autopush.url })
    },
    async open({ path = '/', before, prepare = '', init = '', expected, origins = [] } = {}) {
      const page = await shop.browser.newPage()
      const watched = watch(page, { origins: [herald.baseUrl, ...origins], ...(expected && { expected }) })
      if (before !== undefined) await page.evaluateOnNewDocument(before)
      await page.goto(`${site.origin}${path}`)
      const options = `{ baseUrl: '${herald.baseUrl}', appKey: '${tenant.publicKey}', ${init} }`
      await page.evaluate(`(async () => {
        ${prepare}
        window.heard = []
        window.herald = Herald.init(${options})
        for (const name of ['push', 'change', 'error']) herald.on(name, (event) => heard.push({ name, event }))
      })()`)
      return { page, watched }
    },
    async send(subscriptionId, entry, more = {}) {
      const { status, body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
        target: { subscriptionIds: [subscriptionId] },
        content: { _default: 'en', en: entry },
        ...more,
      })
      if (status !== 202) throw new Error(`the send was answered ${status}: ${JSON.stringify(body)}`)
      return body.id
    },
    async counted(campaignId, counts) {
      await until(
        async () => {
          const { body } = await tenant.call<{ stats: Record<string, number> }>('GET', `/v1/campaigns/${campaignId}/stats`)
          const differing = Object.entries(counts).filter(([name, count]) => body.stats[name] !== count)
          if (differing.length > 0) throw new Error(JSON.stringify(body.stats))
          return true
        },
        { what: `campaign ${campaignId} counts ${JSON.stringify(counts)}` },
      )
    },
    async device(subscriptionId) {
      const { body } = await tenant.admin<{ items: { id: string }[] }>('GET', `/users?q=${subscriptionId}`)
      if (body.items.length === 0) throw new Error(`no device ${subscriptionId}`)
      const { body: user } = await tenant.call<{ subscriptions: Record<string, unknown>[] } & Record<string, unknown>>(
        'GET',
        `/v1/users/${body.items[0]?.id}`,
      )
      const device = user.subscriptions.find(({ id }) => id === subscriptionId)
      if (!device) throw new Error(`no device ${subscriptionId}`)
      return { user, device }
    },
  }
  return shop
}

/** Evaluates an expression in the page and gives its result. When it throws, the result is `{ error: { code, status, … } }`. */
export const ask = <T = State>(page: Page, expression: string): Promise<T> =>
  page.evaluate(`(async () => {
    try { return JSON.parse(JSON.stringify((await (${expression})) ?? null)) }
    catch (error) { return { error: { ...error, message: error.message, isHeraldError: error instanceof Herald.HeraldError } } }
  })()`) as Promise<T>

/** Subscribes the page as soon as it is ready. */
export async function subscribe(page: Page, user = '{}'): Promise<State & { subscriptionId: string }> {
  await ask(page, 'herald.ready')
  const state = await ask<State & { error?: unknown }>(page, `herald.subscribe(${user})`)
  if (state.subscriptionId === undefined) throw new Error(`not subscribed: ${JSON.stringify(state)}`)
  return { ...state, subscriptionId: state.subscriptionId }
}

/** Waits until the SDK's state on the page has these values. */
export const stateIs = (page: Page, wanted: Partial<State>, what = JSON.stringify(wanted)): Promise<State> =>
  until(
    async () => {
      const state = await ask(page, 'herald.state()')
      if (Object.entries(wanted).some(([name, value]) => state[name as keyof State] !== value)) throw new Error(JSON.stringify(state))
      return state
    },
    { what },
  )
