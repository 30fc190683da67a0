import { expect, test } from 'vitest'
import { CreateCampaign } from './campaign.ts'
import { Fault } from './fault.ts'
import { checkFits } from './payload.ts'
import { platforms } from './platform.ts'
import { SendFields } from './send-fields.ts'
import { SaveTemplate } from './template.ts'
import { parseBody } from './validate.ts'

const refusalsOf = (read: () => unknown): string[] => {
  try {
    read()
    return []
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'invalid_body') throw error
    return (error.details ?? []).map(({ path }) => path)
  }
}
const refusedAt = (overrides: unknown) => refusalsOf(() => parseBody(SendFields, { silent: true, overrides }))

// spec: sending/overrides
test('overrides may have every field of a provider that Herald does not fill in', () => {
  expect(
    refusedAt({
      ios: {
        aps: {
          ...{ category: 'ORDER', 'content-available': 1, 'target-content-id': 'x', badge: 1, 'thread-id': null },
          sound: { critical: 1, name: 'siren.caf', volume: 0.7 },
          alert: { subtitle: 'Order 17', 'subtitle-loc-key': 'SUB', 'subtitle-loc-args': ['17'], 'launch-image': 'x.png' },
        },
        mine: { topic: 'a deeper key may have any name', ttl: [1, { tag: 'x' }] },
      },
      android: {
        ...{ direct_boot_ok: true, restricted_package_name: 'org.example', fcm_options: { analytics_label: 'spring' } },
        notification: { click_action: 'OPEN', color: '#ff0000', visibility: 'PRIVATE', light_settings: { color: { red: 1 } }, image: null },
      },
      web: { renotify: true, requireInteraction: true, silent: true, vibrate: [1], badge: 'https://e.com/b.png', dir: 'rtl', icon: null },
    }),
  ).toEqual([])
  expect(refusedAt({})).toEqual([])
  expect(refusedAt({ ios: {}, android: {}, web: {} })).toEqual([])
})

// spec: sending/overrides-owned
test.each(platforms)('overrides of %s are refused at each key that Herald fills in', (platform) => {
  const everywhere = [
    'herald',
    'msgId',
    'token',
    'fid',
    'topic',
    'condition',
    'ttl',
    'priority',
    'tag',
    'collapse_key',
    'collapseId',
    'apns-priority',
  ]
  const own = { ios: [], android: ['data'], web: ['title', 'body', 'url', 'data', 'actions', 'appBadge', 'web_push'] }[platform]
  for (const key of [...everywhere, ...own]) expect(refusedAt({ [platform]: { [key]: 'x' } })).toContain(`overrides.${platform}.${key}`)
})

// spec: sending/overrides-owned
test.each<[overrides: object, path: string]>([
  [{ ios: { aps: { alert: 'Hi' } } }, 'ios.aps.alert'],
  [{ ios: { aps: { alert: null } } }, 'ios.aps.alert'],
  [{ ios: { aps: { alert: { title: 'Hi' } } } }, 'ios.aps.alert'],
  [{ ios: { aps: { alert: { subtitle: 'fine', body: null } } } }, 'ios.aps.alert'],
  [{ ios: { aps: { alert: { 'loc-key': 'X' } } } }, 'ios.aps.alert'],
  [{ ios: { aps: { alert: { 'title-loc-args': [] } } } }, 'ios.aps.alert'],
  [{ ios: { aps: { 'mutable-content': 0 } } }, 'ios.aps.mutable-content'],
  [{ ios: { aps: { 'mutable-content': null } } }, 'ios.aps.mutable-content'],
  [{ ios: { aps: { 'content-available': 0 } } }, 'ios.aps.content-available'],
  [{ ios: { aps: { 'content-available': null } } }, 'ios.aps.content-available'],
  [{ ios: { aps: null } }, 'ios.aps'],
  [{ ios: { aps: [] } }, 'ios.aps'],
  [{ android: { notification: { tag: 'x' } } }, 'android.notification.tag'],
  [{ android: { notification: { title: 'x' } } }, 'android.notification.title'],
  [{ android: { notification: { body_loc_key: 'x' } } }, 'android.notification.body_loc_key'],
  [{ android: { notification: null } }, 'android.notification'],
  [{ android: { notification: { channelId: 'x' } } }, 'android.notification.channelId'],
  [{ android: { directBootOk: true } }, 'android.directBootOk'],
  [{ android: { fcm_options: 'spring' } }, 'android.fcm_options'],
  [{ web: 'x' }, 'web'],
  [{ web: null }, 'web'],
  [{ ios: [] }, 'ios'],
  [{ windows: {} }, 'windows'],
  [{ ios: { mine: { text: 'a\0b' } } }, 'ios.mine.text'],
  [{ web: { ['\ud800']: 1 } }, 'web.\ud800'],
])('the overrides %j are refused at overrides.%s', (overrides, path) => {
  expect(refusedAt(overrides)).toContain(`overrides.${path}`)
})

// spec: sending/overrides
test.each(['9007199254740992', '9007199254740993', '-9007199254740993', '1e400'])(
  'the number %s in overrides is refused at its path, because it would be rounded',
  (written) => {
    for (const platform of platforms) {
      const overrides: unknown = JSON.parse(`{"${platform}":{"order_id":${written},"deep":{"list":[1,${written}]}}}`)
      expect(refusedAt(overrides)).toEqual([`overrides.${platform}.order_id`, `overrides.${platform}.deep.list.1`])
    }
    expect(refusedAt({ ios: { most: Number.MAX_SAFE_INTEGER, least: Number.MIN_SAFE_INTEGER, part: 0.1 } })).toEqual([])
  },
)

// spec: sending/overrides
test.each(platforms)('the overrides of %s have at most 2,048 bytes as JSON', (platform) => {
  const filled = (bytes: number) => ({ [platform]: { x: 'ü'.repeat((bytes - '{"x":""}'.length) / 2) } })
  expect(refusedAt(filled(2_048))).toEqual([])
  expect(refusedAt(filled(2_050))).toEqual([`overrides.${platform}`])
})

// spec: sending/overrides
test('a campaign and a template take overrides too, and refuse the same', () => {
  const content = { _default: 'en', en: { title: 'T', body: 'B' } }
  for (const schema of [CreateCampaign, SaveTemplate]) {
    const made = (overrides: object) => parseBody(schema, { name: 'Sale', content, overrides })
    expect(made({ web: { renotify: true } }).overrides).toEqual({ web: { renotify: true } })
    expect(refusalsOf(() => made({ web: { tag: 'x' } }))).toEqual(['overrides.web.tag'])
  }
})

// spec: sending/overrides, content/too-large-at-create
test('overrides count when a content is checked for its size', () => {
  const content = { _default: 'en', en: { title: 'T', body: 'B' } }
  const data = { a: 'x'.repeat(1000), b: 'x'.repeat(1000) }
  expect(checkFits({ content, data })).toEqual([])
  const overrides = { ios: { x: 'x'.repeat(2000) }, web: { x: 'x'.repeat(2000) } }
  expect(checkFits({ content, data, overrides }).map(({ message }) => /for (\w+):/.exec(message)?.[1])).toEqual(['ios', 'web'])
  expect(checkFits({ silent: true, data, overrides: { web: overrides.web } })).toEqual([])
  expect(checkFits({ silent: true, data, overrides }).map(({ path }) => path)).toEqual(['overrides.ios'])
})
