import { stepOfPath } from '../../core/step-texts.ts'
import { placeInWords } from '../../core/warning-lines.ts'

/** Focuses the field of the composer that a path of the API names: the one with its label, else the first of its step, which is open. */
export function focusField(path: string): void {
  const step = document.getElementById(`step-${stepOfPath(path)}`)
  const name = placeInWords(path).words.replace(/ \(.*$/, '')
  const label = [...(step?.querySelectorAll('label') ?? [])].find(({ textContent }) => textContent.trim().startsWith(name))
  const field = label?.control ?? step?.querySelector<HTMLElement>('input, textarea, select, button')
  if (field instanceof HTMLElement) field.focus()
}
