import { providerOf } from '@herald/contracts/app'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { placeInWords, warningLines } from './warning-lines.ts'

// spec: dashboard/warnings-once
test('warnings that say the same of several fields are one line, which names the fields in words', () => {
  const empty = { code: 'placeholder_empty', message: 'has a placeholder that comes out empty, for 3 of 5 samples', devices: null }
  expect(
    warningLines([
      { ...empty, path: 'content.de.title' },
      { ...empty, path: 'content.de.body' },
      { code: 'not_configured', path: `providers.${providerOf.android}`, message: 'is not set', devices: 1_200 },
      { code: 'ttl_below_estimate', path: 'campaign.ttl', message: 'is 5 seconds', devices: 1 },
      {
        code: 'missing_locale',
        path: 'campaign.experiment.variants.1.content',
        message: 'has no text in the language of 7 devices',
        devices: 7,
      },
    ]),
  ).toEqual([
    expect.objectContaining({
      text: 'Title (German), Text (German): has a placeholder that comes out empty, for 3 of 5 samples.',
      locale: 'de',
      path: 'content.de.title',
    }),
    expect.objectContaining({ text: 'FCM: is not set (1,200 devices).', locale: null, path: null }),
    expect.objectContaining({ text: 'Time to live: is 5 seconds (1 device).', locale: null, path: 'ttl' }),
    expect.objectContaining({ text: 'The message (variant B): has no text in the language of 7 devices.', locale: null }),
  ])
})

test('a problem names each field as its label does, so that a link finds the field', () => {
  const labels = ['content/ContentEditor', 'content/PictureField', 'content/RateField', 'content/TtlField']
    .map((name) => readFileSync(`apps/dashboard/src/ui/${name}.tsx`, 'utf8'))
    .join('')
  for (const path of ['content.en.title', 'content.en.body', 'content.en.url', 'content.en.image', 'sendRate.perMinute', 'campaign.ttl'])
    expect(labels).toContain(`label="${placeInWords(path).words.replace(/ \(.*$/, '')}"`)
  const words = ['segmentId', 'experiment.variants.1.weight', 'experiment.auto'].map((path) => placeInWords(path).words)
  expect(words).toEqual(['Audience', 'Weight (variant B)', 'Winning variant'])
})
