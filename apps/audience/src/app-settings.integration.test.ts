import { defaultSettings } from '@herald/contracts/app'
import { appChanged } from '@herald/contracts/calls/gateway'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { openAudience } from './testing/rig.ts'

const { audience, bus, peers } = await openAudience()

// spec: administration/settings-heard
test('audience asks the gateway once for an app’s settings needed twice in a moment, and again after they have changed', async () => {
  const appId = newId()
  peers.state.askedGateway = 0
  expect(await audience.settingsOf(appId)).toEqual(defaultSettings)
  expect(await audience.settingsOf(appId)).toEqual(defaultSettings)
  expect(peers.state.askedGateway).toBe(1)

  peers.settings.set(appId, { ...defaultSettings, defaultTimezone: 'Asia/Tokyo' })
  bus.broadcast(appChanged, { appId })

  await until(async () => (await audience.settingsOf(appId))?.defaultTimezone === 'Asia/Tokyo')
})

// spec: administration/settings-heard
test('when the broadcast of a change is lost, audience uses the changed settings after 2 seconds', async () => {
  const appId = newId()
  expect(await audience.settingsOf(appId)).toEqual(defaultSettings)
  peers.settings.set(appId, { ...defaultSettings, defaultTimezone: 'Asia/Tokyo' })
  await until(async () => (await audience.settingsOf(appId))?.defaultTimezone === 'Asia/Tokyo', { withinMs: 10_000 })
})

test('settings that were asked for before a change and answered after it are not remembered', async () => {
  const appId = newId()
  const gate = Promise.withResolvers<void>()
  peers.state.gatewayAnswersAfter = gate.promise
  peers.state.askedGateway = 0
  const heard: string[] = []
  bus.listen(appChanged, (change) => void heard.push(change.appId))
  const asking = audience.settingsOf(appId)
  await until(() => peers.state.askedGateway === 1)
  bus.broadcast(appChanged, { appId })
  await until(() => heard.includes(appId))
  gate.resolve()
  await asking
  expect(await audience.settingsOf(appId)).toEqual(defaultSettings)
  expect(peers.state.askedGateway).toBe(2)
})

test('a deleted app has no settings, and audience asks for them again the next time', async () => {
  const appId = newId()
  peers.gone.add(appId)
  expect(await audience.settingsOf(appId)).toBeUndefined()
  peers.gone.delete(appId)
  expect(await audience.settingsOf(appId)).toEqual(defaultSettings)
})
