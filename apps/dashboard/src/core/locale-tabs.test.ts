import { expect, test } from 'vitest'
import { addLocale, emptyContent } from './content-draft.ts'
import { missingLocales, nameOfLocale, readLocale } from './locale-tabs.ts'

test('languages of the audience without a text are suggested, with what those people read instead', () => {
  const content = addLocale(emptyContent('en'), 'pt')
  const languages = ['de', 'de-AT', 'en-GB', 'pt-BR', 'fr', null, 'fr-CA', 'de', 'not a language']
  expect(missingLocales(content, languages)).toEqual([
    { locale: 'de', people: 3, readsInstead: 'en' },
    { locale: 'fr', people: 2, readsInstead: 'en' },
  ])
  expect(missingLocales(content, languages, 1)).toHaveLength(1)
  expect(missingLocales(content, [])).toEqual([])
})

test('a region reads its language, but never another region: a text for one of them does not count for the other', () => {
  expect(missingLocales(emptyContent('pt-PT'), ['de'])).toEqual([{ locale: 'de', people: 1, readsInstead: 'pt-PT' }])
})

test('locales are read as they are typed, and have names', () => {
  expect([readLocale(' pt_br '), readLocale('zh-hant-tw'), readLocale('English')]).toEqual(['pt-BR', 'zh-Hant-TW', undefined])
  expect([nameOfLocale('de'), nameOfLocale('pt-BR'), nameOfLocale('!')]).toEqual(['German', 'Brazilian Portuguese', '!'])
})
