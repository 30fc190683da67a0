import { expect, test } from 'vitest'
import { addLocale, emptyContent } from './content-draft.ts'
import { missingLocales, nameOfLocale, readLocale, sharesOf } from './locale-tabs.ts'

test('the editor suggests languages of users for which there is no text, and says which text those users get instead', () => {
  const content = addLocale(emptyContent('en'), 'pt')
  const languages = ['de', 'de-AT', 'en-GB', 'pt-BR', 'fr', null, 'fr-CA', 'de', 'not a language']
  expect(missingLocales(content, languages)).toEqual([
    { locale: 'de', people: 3, readsInstead: 'en' },
    { locale: 'fr', people: 2, readsInstead: 'en' },
  ])
  expect(missingLocales(content, languages, 1)).toHaveLength(1)
  expect(missingLocales(content, [])).toEqual([])
})

test('users of a language without a text get the default, also when it is another language’s region', () => {
  expect(missingLocales(emptyContent('pt-PT'), ['de'])).toEqual([{ locale: 'de', people: 1, readsInstead: 'pt-PT' }])
})

test('a locale may be typed with small letters or _, and is shown with its English name', () => {
  expect([readLocale(' pt_br '), readLocale('zh-hant-tw'), readLocale('English')]).toEqual(['pt-BR', 'zh-Hant-TW', undefined])
  expect([nameOfLocale('de'), nameOfLocale('pt-BR'), nameOfLocale('!')]).toEqual(['German', 'Brazilian Portuguese', '!'])
})

test('each language of a message shows its share of users, by the fallback that sends use', () => {
  const content = addLocale(emptyContent('en'), 'pt')
  expect(sharesOf(content, ['de', 'pt-BR', 'en-GB', null, 'pt'])).toEqual(
    new Map([
      ['en', 0.5],
      ['pt', 0.5],
    ]),
  )
  expect(sharesOf(content, [null])).toBeUndefined()
})
