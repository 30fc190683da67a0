import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markTags } from './text-pieces.ts'

const marked = (text: string) =>
  markTags(text).pieces.map(({ text: piece, is }) => (is === 'plain' ? piece : is === 'tag' ? `[${piece}]` : `<${piece}>`))

test('placeholders in a text are marked, and the first one with a mistake says what is wrong', () => {
  expect(marked('Hi {{ tags.name }}, {{ user.id | upcase }}!')).toEqual(['Hi ', '[{{ tags.name }}]', ', ', '[{{ user.id | upcase }}]', '!'])
  expect(marked('Hi {{ tags.name }} {{ user.name }} {{ user.id }}')).toEqual([
    'Hi ',
    '[{{ tags.name }}]',
    ' ',
    '<{{ user.name }}>',
    ' {{ user.id }}',
  ])
  expect(markTags('{{ user.name }}').fault).toContain('holds the unknown name user.name; known are user.id')
  expect(marked('{% if %} {{ a }}')).toEqual(['<{% if %}>', ' {{ a }}'])
  expect(marked('Hi {{ tags.name\nyou')).toEqual(['Hi ', '<{{ tags.name>', '\nyou'])
  expect(marked('{{ "}}" }} x')).toEqual(['[{{ "}}" }}]', ' x'])
})

test('the marked pieces together are the text, whatever it contains', () => {
  const part = fc.constantFrom('{{', '}}', '{%', '%}', ' tags.a ', '|', '"', "'", 'x', '\n', '{', '}', '-', '😀')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      expect(
        markTags(text)
          .pieces.map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})
