import type { components } from '../api/schema.gen.ts'

type Content = components['schemas']['ContentMap']

/**
 * Gives the clicks of a send by button, named as in the default language, and those on the notification itself. Undefined without a click on a
 * button.
 */
export function buttonClicks(
  actions: readonly { action: string; clicked: number }[],
  { clicked, contents }: { clicked: number; contents: readonly (Content | null)[] },
): { key: string; label: string; clicked: number }[] | undefined {
  if (actions.length === 0) return undefined
  const titles = new Map(contents.flatMap((content) => (content ? titlesOf(content) : [])))
  const onButtons = actions.reduce((sum, one) => sum + one.clicked, 0)
  const buttons = actions.map(({ action, clicked }) => ({ key: `button ${action}`, label: titles.get(action) ?? action, clicked }))
  const itself = { key: 'itself', label: 'The notification itself', clicked: Math.max(0, clicked - onButtons) }
  return [...buttons, itself].toSorted((one, other) => other.clicked - one.clicked)
}

/** Gives the titles of all buttons by their ids. Those of the default language come last, so that a map keeps them. */
function titlesOf({ _default: fallback, ...locales }: Content): [string, string][] {
  return Object.entries(locales)
    .toSorted(([one], [other]) => Number(one === fallback) - Number(other === fallback))
    .flatMap(([, entry]) => (typeof entry === 'object' ? (entry.actions ?? []).map(({ id, title }): [string, string] => [id, title]) : []))
}
