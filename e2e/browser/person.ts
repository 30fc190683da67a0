import type { Locator, Page } from 'playwright-core'

/** What an errand asks of a person's hands. A field that is chosen from a list is a field too. */
export type Effort = { clicks: number; fields: number; characters: number }

/** Hands that do an errand on a page: with the mouse, or with the keyboard alone. */
export type Person = {
  effort: Effort
  /** Presses a button, a link, a step, a radio or a box. */
  press(target: Locator): Promise<void>
  write(field: Locator, text: string): Promise<void>
  /** Chooses what is called `text` from a list that is searched by typing. */
  pick(list: Locator, text: string): Promise<void>
  /** Chooses a file from the machine. */
  give(input: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>
}

/** The times of a person at a computer who knows the page: 0.6 s to a click, 90 ms to a key. */
const pace = { clickMs: 600, keyMs: 90 }

const optionOf = (page: Page, text: string) => page.getByRole('option').filter({ hasText: text }).first()

/** Gives hands with a mouse, at a person's pace when `isPaced`. A field that has no focus is clicked first. */
export function withMouse(page: Page, isPaced: boolean): Person {
  const effort: Effort = { clicks: 0, fields: 0, characters: 0 }
  const press = async (target: Locator): Promise<void> => {
    await target.waitFor()
    if (isPaced) await page.waitForTimeout(pace.clickMs)
    // The left end of a date is its first part, where a person begins to type it.
    await target.click((await target.getAttribute('type')) === 'date' ? { position: { x: 16, y: 12 } } : {})
    effort.clicks += 1
  }
  const type = async (text: string): Promise<void> => {
    await page.keyboard.type(text, { delay: isPaced ? pace.keyMs : 0 })
    effort.characters += text.length
  }
  return {
    effort,
    press,
    async write(field, text) {
      await field.waitFor()
      if (!(await hasFocus(field))) await press(field)
      await type(text)
      effort.fields += 1
    },
    async pick(list, text) {
      await press(list)
      await type(text)
      await press(optionOf(page, text))
      effort.fields += 1
    },
    async give(input, file) {
      const window = page.waitForEvent('filechooser')
      await press(input)
      await (await window).setFiles(file)
      // In the system's window the file is one click more.
      effort.clicks += 1
      effort.fields += 1
    },
  }
}

const hasFocus = (target: Locator): Promise<boolean> => target.evaluate((element) => element.matches(':focus'))

/** So many presses of keys lead at most to what is looked for. */
const mostPresses = 150

/** The key that leads from the focus towards an element. Within a group of radios, tabs or rows Tab stops once, and the arrow keys go on. */
type Key = 'Tab' | 'Shift+Tab' | 'Enter' | 'Arrow'

/** Gives hands with a keyboard alone: Tab, Enter, the arrow keys within a group, and Space for what is ticked. */
export function withKeyboard(page: Page): Person {
  const effort: Effort = { clicks: 0, fields: 0, characters: 0 }
  const goTo = async (target: Locator): Promise<void> => {
    await target.waitFor()
    let element = await target.elementHandle()
    /** Gives the next key; null when the element has the focus or is in the row that has it. */
    const nextKey = async (): Promise<Key | null> => {
      const key = await element?.evaluate((wanted): Key | null | undefined => {
        if (!wanted.isConnected) return undefined
        const { activeElement: active } = wanted.ownerDocument
        if (active === null) return 'Tab'
        if (active === wanted || (active.matches('tr[tabindex]') && active.contains(wanted))) return null
        const group = wanted.closest('fieldset, [role=tablist], tbody')
        const isStop = active.matches('[type=radio], [role=tab], tr[tabindex]')
        if (isStop && group !== null && active.closest('fieldset, [role=tablist], tbody') === group) return 'Arrow'
        // The first link of a page skips its navigation.
        if (active.matches('[href="#main"]') && wanted.closest('#main') !== null) return 'Enter'
        return active.compareDocumentPosition(wanted) & active.DOCUMENT_POSITION_PRECEDING ? 'Shift+Tab' : 'Tab'
      })
      if (key !== undefined) return key
      // The page has drawn the element anew.
      element = await target.elementHandle()
      return nextKey()
    }
    let presses = 0
    for (let key = await nextKey(); key !== null; key = await nextKey()) {
      if (presses === mostPresses) throw new Error(`${mostPresses} presses of keys do not lead to ${String(target)}`)
      presses += 1
      const arrow = key === 'Arrow' && ((await target.getAttribute('role')) === 'tab' ? 'ArrowRight' : 'ArrowDown')
      await page.keyboard.press(arrow || key)
    }
  }
  const type = async (text: string): Promise<void> => {
    await page.keyboard.type(text)
    effort.characters += text.length
  }
  return {
    effort,
    async press(target) {
      await goTo(target)
      const kind = await target.getAttribute('type')
      if (kind === 'radio') {
        if (!(await target.isChecked())) await page.keyboard.press('Space')
      } else await page.keyboard.press(kind === 'checkbox' ? 'Space' : 'Enter')
    },
    async write(field, text) {
      await field.waitFor()
      if (!(await hasFocus(field))) await goTo(field)
      await type(text)
      effort.fields += 1
    },
    async pick(list, text) {
      await goTo(list)
      await page.keyboard.press('Enter')
      await page.getByPlaceholder('Type to search').waitFor()
      await type(text)
      await optionOf(page, text).and(page.locator('[data-selected=true]')).waitFor()
      await page.keyboard.press('Enter')
      effort.fields += 1
    },
    async give(input, file) {
      await goTo(input)
      // The window of the system that Enter opens is not the page's; the test answers it.
      await input.setInputFiles(file)
      effort.fields += 1
    },
  }
}
