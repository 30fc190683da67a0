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

/** So many presses of Tab lead at most to what is looked for. */
const mostTabs = 150

/** Gives hands with a keyboard alone: Tab, Enter, the arrow keys within a group, and Space for what is ticked. */
export function withKeyboard(page: Page): Person {
  const effort: Effort = { clicks: 0, fields: 0, characters: 0 }
  /** Within a group of radios, tabs or rows, Tab stops once, and the arrow keys go on. */
  const inGroup = (target: Locator): Promise<boolean> =>
    target.evaluate((element) => {
      const { activeElement: active } = element.ownerDocument
      if (active === null || active === element) return active === element
      const group = 'fieldset, [role=tablist], tbody'
      const isStop = active.matches('[type=radio], [role=tab], tr[tabindex]')
      return isStop && element.closest(group) !== null && active.closest(group) === element.closest(group)
    })
  const isThere = (target: Locator): Promise<boolean> =>
    target.evaluate((element) => {
      const { activeElement: active } = element.ownerDocument
      return active === element || (active?.matches('tr[tabindex]') === true && active.contains(element))
    })
  const goTo = async (target: Locator): Promise<void> => {
    await target.waitFor()
    for (let tabs = 0; !(await inGroup(target)); tabs += 1) {
      if (tabs === mostTabs) throw new Error(`${mostTabs} presses of Tab do not lead to ${String(target)}`)
      await page.keyboard.press('Tab')
    }
    for (let arrows = 0; !(await isThere(target)); arrows += 1) {
      if (arrows === 60) throw new Error(`The arrow keys do not lead to ${String(target)}`)
      await page.keyboard.press((await target.getAttribute('role')) === 'tab' ? 'ArrowRight' : 'ArrowDown')
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
