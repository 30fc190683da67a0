import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const styles = readFileSync(join(import.meta.dirname, '../styles.css'), 'utf8')
const tokensOf = (selector: string): Record<string, string> => {
  const block = styles.slice(styles.indexOf(`${selector} {`)).split('}')[0] ?? ''
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, colour]) => [name, colour]))
}
const themes = { light: tokensOf(':root'), dark: tokensOf(":root[data-theme='dark']") }

/** Gives the relative luminance of a colour, as WCAG 2.2 defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const grounds = ['canvas', 'surface', 'sunken', 'hover']
const texts = [
  ...grounds.flatMap((ground) => [
    ['ink', ground],
    ['muted', ground],
  ]),
  ...['canvas', 'surface', 'accent-soft'].map((ground) => ['accent', ground]),
  ...['canvas', 'surface'].flatMap((ground) => ['good', 'warning', 'bad', 'busy'].map((state) => [state, ground])),
  ...['good', 'warning', 'bad', 'busy'].flatMap((state) => [
    [state, `${state}-soft`],
    ['ink', `${state}-soft`],
    ['muted', `${state}-soft`],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['on-bad', 'bad'],
  ['canvas', 'ink'],
]
/**
 * Pairs of a shape's colour and its background: borders of fields, the focus ring and lines of charts. A contrast of 3 to 1 is enough for them,
 * because they are no text.
 */
const shapes = grounds
  .slice(0, 2)
  .flatMap((ground) => ['strong', 'accent', ...[1, 2, 3, 4, 5, 6].map((number) => `series-${number}`)].map((shape) => [shape, ground]))

// spec: dashboard/contrast
test.each(Object.entries(themes))(
  'in the %s theme texts contrast 4.5 to 1 with their background, borders and lines 3 to 1',
  (_name, tokens) => {
    const colour = (name = ''): string => {
      const found = tokens[name]
      if (found === undefined) throw new Error(`no colour is called ${name}`)
      return found
    }
    const weak = [...texts.map((pair) => [...pair, 4.5]), ...shapes.map((pair) => [...pair, 3])]
      .map(([front, ground, least]) => ({
        pair: `${front} on ${ground}`,
        is: contrast(colour(String(front)), colour(String(ground))),
        least: Number(least),
      }))
      .filter(({ is, least }) => is < least)
    expect(weak).toEqual([])
  },
)

test('the light and the dark theme define the same colours', () => expect(Object.keys(themes.dark)).toEqual(Object.keys(themes.light)))
