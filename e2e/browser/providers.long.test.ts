import { generateKeyPairSync } from 'node:crypto'
import { startClock } from '@herald/testing/promised'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { givenDevices, ok, textOf, untilSettled } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// Setting the credentials of providers on the page, with wrong files, wrong keys and right ones.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
beforeAll(async () => void ({ tenant, open } = await openDashboard()))

const pem = (type: 'ec' | 'rsa'): string => {
  const { privateKey } =
    type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
/** Opens the form that replaces the credentials of a provider. */
async function replace(page: Page, name: string) {
  await page.getByRole('region', { name }).getByRole('button', { name: 'Replace' }).click()
  const dialog = page.getByRole('dialog', { name: `${name}: replace credentials` })
  await dialog.waitFor()
  return dialog
}
const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

// spec: dashboard/credential-files, dashboard/credential-warnings
test('before anything is sent the page names a cut key, RSA key, foreign account, and unreachable VAPID subject', async () => {
  const { page, watched } = await open('/providers')
  const changes: string[] = []
  page.on('request', (request) => request.method() !== 'GET' && changes.push(request.url()))

  const apns = await replace(page, 'APNs')
  const key = pem('ec')
  await apns.locator('input[type=file]').setInputFiles(file('AuthKey_ABC123DEFG.p8', key.slice(0, key.indexOf('-----END'))))
  await apns.getByText('This file is cut off: its last line, -----END PRIVATE KEY-----, is missing.').waitFor()
  await apns.locator('input[type=file]').setInputFiles(file('AuthKey_ABC123DEFG.p8', pem('rsa')))
  await apns.getByText('This is an RSA key.').waitFor()
  await apns.getByRole('button', { name: 'Save and check' }).click()
  await apns.getByText('This is an RSA key.').waitFor()
  await apns.locator('input[type=file]').setInputFiles(file('AuthKey_ABC123DEFG.p8', key))
  await apns.getByText('Key read').waitFor()
  expect(await apns.getByLabel('Key id').inputValue()).toBe('ABC123DEFG')
  expect(await barriersOf(page)).toEqual([])
  await page.keyboard.press('Escape')

  const fcm = await replace(page, 'FCM')
  await fcm.locator('input[type=file]').setInputFiles(file('google-services.json', '{"project_info":{"project_id":"shop"}}'))
  await fcm.getByText('This is google-services.json, which belongs into the Android app.').waitFor()
  const account = {
    type: 'service_account',
    project_id: 'somebody-elses',
    client_email: 'push@somebody-elses.iam.gserviceaccount.com',
    private_key: pem('rsa'),
    token_uri: 'https://oauth2.googleapis.com/token',
  }
  await fcm.locator('input[type=file]').setInputFiles(file('account.json', JSON.stringify(account)))
  await fcm.getByText(`This is another project than the present one, ${tenant.projectId}.`).waitFor()
  await page.keyboard.press('Escape')

  const webPush = await replace(page, 'Web Push')
  await webPush.getByRole('textbox', { name: 'Subject' }).fill('x@localhost')
  await webPush.getByText('Nobody outside this machine or network can reach this address.').waitFor()
  expect(changes).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: administration/provider-check
test("with a wrong APNs key the page shows the provider's reason and advice, and a push waits for another", async () => {
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
  onTestFinished(() => tenant.simulator('DELETE', '/faults').then(() => undefined))
  const [device] = await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'ada' }))
  // The browser writes a line about the answer that refuses the wrong key.
  const { page, watched } = await open('/providers', /status of 422/)
  const teamId = tenant.appId.slice(-10).toUpperCase()
  const keyId = teamId.split('').toReversed().join('')

  const form = await replace(page, 'APNs')
  await form.locator('input[type=file]').setInputFiles(file(`AuthKey_${keyId}.p8`, pem('ec')))
  await form.getByRole('button', { name: 'Save and check' }).click()
  await form.getByText(/InvalidProviderToken/).waitFor()
  await form.getByText(/check that team id and key id are those of the \.p8 key/i).waitFor()
  // The credentials in use are still there, and a push goes out with them.
  const before = ok(
    await tenant.call<{ id: string }>('POST', '/v1/notifications', {
      target: { subscriptionIds: [device!.id] },
      content: textOf('Goes out'),
    }),
    202,
  )
  expect(await untilSettled(tenant, before.id)).toMatchObject({ queued: 1, sent: 1 })
  await form.getByRole('button', { name: 'Save anyway' }).click()
  await form.waitFor({ state: 'detached' })

  const body = { target: { subscriptionIds: [device!.id] }, content: textOf('Waits') }
  const { id } = ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', body), 202)
  const { page: explain } = await open(`/explain?campaignId=${id}&subscriptionId=${device!.id}`)
  const provider = explain.locator('[data-station="provider"][data-result="wait"]', { hasText: 'credentials_invalid' })
  await provider.getByText('What to do:').waitFor()
  expect(await provider.innerText()).toMatch(/credentials|key id/i)

  await page.reload()
  await page.getByText('is not accepting pushes').waitFor()
  const again = await replace(page, 'APNs')
  const { privateKey } = await tenant.simulator<{ privateKey: string }>('POST', '/accounts', {
    kind: 'apns',
    teamId,
    keyId,
    bundleId: tenant.bundleId,
  })
  await again.locator('input[type=file]').setInputFiles(file(`AuthKey_${keyId}.p8`, privateKey))
  await again.getByRole('button', { name: 'Save and check' }).click()
  await page.getByText('Saved: APNs takes these credentials').waitFor()
  await explain.locator('p[data-sentence]', { hasText: /^Sent at/ }).waitFor()

  // The wrong key is the former one now; a rollback brings it back, and another one the right key.
  const region = page.getByRole('region', { name: 'APNs' })
  const publicHalf = async () => ok(await tenant.admin<{ former: unknown }>('GET', '/providers/apns'), 200).former
  expect(await publicHalf()).toMatchObject({ keyId, teamId })
  for (const ok of [false, true]) {
    await region.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await region.getByRole('button', { name: 'Check now' }).click()
    await region.getByText(ok ? 'APNs takes these credentials.' : /InvalidProviderToken/).waitFor()
  }
  expect(await barriersOf(page)).toEqual([])
  expect(await page.content()).not.toContain(privateKey.split('\n')[1])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/test-held
test('a test with a wrong APNs key shows the provider’s words and advice within two seconds, and later goes out', async () => {
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
  onTestFinished(() => tenant.simulator('DELETE', '/faults').then(() => undefined))
  const [device] = await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'tested' }))
  const teamId = tenant.appId.slice(-10).toUpperCase()
  const keyId = teamId.split('').toReversed().join('')
  const account = { teamId, keyId, bundleId: tenant.bundleId }
  const setKey = async (privateKey: string) =>
    ok(await tenant.admin('PUT', '/providers/apns?unchecked=true', { ...account, privateKey, environment: 'production' }), 200)
  await setKey(pem('ec'))
  const sendTest = async () => {
    const { page, watched } = await open(`/people/${device!.userId}`)
    await page.getByRole('button', { name: 'Test send' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Send the test' }).click()
    const elapsed = startClock()
    await dialog.getByText(/InvalidProviderToken/).waitFor()
    await dialog.getByText(/check that team id and key id are those of the \.p8 key/i).waitFor()
    expect(elapsed()).toBeLessThanOrEqual(2_000)
    return { page, watched, dialog }
  }
  const { page, watched, dialog } = await sendTest()
  expect(await barriersOf(page)).toEqual([])

  const { privateKey } = await tenant.simulator<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', ...account })
  await setKey(privateKey)
  await dialog.getByText(/Accepted by APNs/).waitFor()
  expect(watched.faults).toEqual([])
})
