import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { atEnd } from '@herald/testing/at-end'
import { until } from '@herald/testing/until'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, inject, test } from 'vitest'
import { onDatabase } from '../chaos/platform.ts'
import { givenDevices, ok, textOf } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// A webhook endpoint from its first ping until it is switched off by failures and on again, once with the mouse and once with the keyboard alone.

let herald: Dashboard['herald']
let tenant: Dashboard['tenant']
let open: Dashboard['open']
let origin: string
/** How the test's receiver answers: with this HTTP status, or by closing the connection. */
let answer: number | 'hang up' = 204
const received: { path: string; body: string }[] = []

beforeAll(async () => {
  ;({ herald, tenant, open } = await openDashboard())
  const { certificate, privateKey } = inject('receiver')
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString() })
      if (answer === 'hang up') request.socket.destroy()
      else response.writeHead(answer).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
})

type Hand = {
  press(target: Locator): Promise<void>
  type(target: Locator, text: string): Promise<void>
  /** Opens a row of a table. */
  open(rows: Locator, row: Locator): Promise<void>
  close(): Promise<void>
}

const mouse = (page: Page): Hand => ({
  press: (target) => target.click(),
  async type(target, text) {
    await target.click()
    await page.keyboard.insertText(text)
  },
  open: (_rows, row) => row.click(),
  close: () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click(),
})

/** Works as an operator without a mouse: reaches controls with Tab and rows with the arrow keys, and uses them with Enter. */
function keyboard(page: Page): Hand {
  const reach = async (target: Locator, key = 'Tab') => {
    await target.waitFor()
    for (let times = 0; times < 200; times += 1) {
      if (await target.evaluate((element) => element.ownerDocument.activeElement === element)) return
      await page.keyboard.press(key)
    }
    throw new Error(`${target.toString()} is not reached by ${key}`)
  }
  return {
    async press(target) {
      await reach(target)
      await page.keyboard.press('Enter')
    },
    async type(target, text) {
      await reach(target)
      await page.keyboard.type(text)
    },
    async open(rows, row) {
      await reach(rows.first())
      await reach(row, 'ArrowDown')
      await page.keyboard.press('Enter')
    },
    close: () => page.keyboard.press('Escape'),
  }
}

const failures = [
  [500, '500 after'],
  [404, 'Nothing answers at this path.'],
  [401, 'The endpoint refuses the request.'],
  [429, 'The endpoint limits the rate of requests.'],
  ['hang up', 'Could not connect.'],
] as const

// spec: webhooks/test, webhooks/switched-off, administration/webhooks
test.each([
  ['the mouse', mouse],
  ['the keyboard alone', keyboard],
] as const)(
  'with %s an operator makes and pings an endpoint, switches it on again after failures, and resends a failed delivery',
  async (name, handOf) => {
    const { page, watched } = await open('/webhooks')
    const hand = handOf(page)
    const button = (label: string | RegExp) => page.getByRole('button', { name: label, exact: true })
    const path = `/${name.replaceAll(' ', '-')}`
    answer = 204

    await hand.press(button('New endpoint').first())
    await hand.type(page.getByLabel('URL'), `${origin}${path}`)
    await hand.press(button('Create endpoint'))
    await hand.press(button('I have saved it'))
    await page.waitForURL(/webhooks\/[0-9a-f]{24}$/)
    const id = page.url().slice(-24)

    await hand.press(button('Ping'))
    await hand.press(button('Send a ping'))
    await page.getByText('Taken', { exact: true }).waitFor()
    for (const [status, says] of failures) {
      answer = status
      await hand.press(button('Send another'))
      await page.getByRole('dialog').getByText(says).waitFor()
      await page.getByText('Not taken', { exact: true }).waitFor()
    }
    expect(await barriersOf(page)).toEqual([])
    await hand.close()

    // Puts the endpoint in the state after 49 deliveries in a row that used up their attempts.
    await onDatabase(herald, (client) => client.query('update webhooks.endpoints set consecutive_failures = 49 where id = $1', [id]))
    answer = 500
    const [device] = await givenDevices(tenant, 'android', 1)
    const sent = ok(
      await tenant.call<{ id: string }>('POST', '/v1/notifications', {
        target: { subscriptionIds: [device!.id] },
        content: textOf('Missed'),
      }),
      202,
    )
    await page.getByText('Switched off: 50 deliveries in a row used up their attempts').waitFor()
    await hand.press(button('Refresh'))
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr')
    const row = rows.filter({ hasText: 'Failed' }).first()
    await row.waitFor()

    answer = 204
    await hand.press(button('Enable'))
    await page.getByText('The endpoint is on: what was waiting goes out').waitFor()
    await hand.open(rows, row)
    const dialog = page.getByRole('dialog', { name: 'Delivery' })
    await until(async () => (await dialog.locator('ol > li', { hasText: '500 after' }).count()) === 5, { what: 'five attempts' })
    expect(await dialog.innerText()).toContain(sent.id)
    const deliveryId = /dlv_[0-9a-f]{24}/.exec(await dialog.innerText())?.[0]
    const before = received.filter(({ body }) => body.includes(`"id":"${deliveryId}"`))
    expect(new Set(before.map(({ body }) => body)).size).toBe(1)

    await hand.press(button('Send again'))
    await dialog.getByText('Delivered').waitFor()
    const after = received.filter(({ body }) => body.includes(`"id":"${deliveryId}"`))
    expect([after.length, new Set(after.map(({ body }) => body)).size]).toEqual([before.length + 1, 1])
    expect(await barriersOf(page)).toEqual([])
    expect(watched.faults).toEqual([])
  },
)
