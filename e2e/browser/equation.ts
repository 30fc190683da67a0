import type { Page } from 'playwright-core'

/** A state of the equation that a control room showed, and when it appeared (ms). */
export type Reading = Record<'Recipients' | 'Sent' | 'Failed' | 'Skipped' | 'Waiting', number> & { at: number }
type Seen = { readings: Reading[]; sentences: string[] }

/** Runs in the page: notes every state of the equation that is ever shown, and each sentence above it. */
const script = `
  globalThis.seen = { readings: [], sentences: [] }
  let before = ''
  const look = () => {
    const terms = [...document.querySelectorAll('[data-equation] > div')].map((term) => [
      term.querySelector('dt').textContent,
      Number(term.querySelector('dd a').textContent.replaceAll(',', '')),
    ])
    if (terms.length === 0) return
    const reading = Object.fromEntries(terms)
    if (JSON.stringify(reading) !== before) seen.readings.push({ ...reading, at: Date.now() })
    before = JSON.stringify(reading)
    const sentence = document.querySelector('[data-sentence]').textContent
    if (seen.sentences.at(-1) !== sentence) seen.sentences.push(sentence)
  }
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  look()
`

/**
 * Notes from now on every state of the equation that a control room shows, and each sentence above it. Gives a function that reads what was noted.
 */
export async function watchEquation(page: Page): Promise<() => Promise<Seen>> {
  await page.locator('[data-equation]').waitFor()
  await page.evaluate(script)
  return () => page.evaluate<Seen>('seen')
}

/** Gives the readings that cannot be right: queued is not sent + failed + skipped + waiting, or a number is below 0. */
export const wrongOf = (readings: readonly Reading[]): Reading[] =>
  readings.filter(
    (one) => one.Recipients !== one.Sent + one.Failed + one.Skipped + one.Waiting || Object.values(one).some((value) => value < 0),
  )
