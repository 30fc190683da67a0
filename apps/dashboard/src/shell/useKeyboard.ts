import { useEffect } from 'react'
import { topLayer } from '../ui/layers.ts'
import { isSingleKey, keyName, matchKeys } from './match-keys.ts'
import { preferences } from './preferences.ts'
import { shortcuts } from './useShortcut.ts'

/** Two keys belong to one shortcut when the second is pressed within this time after the first. */
const sequenceMs = 1_000
const fields =
  'input:not([type=checkbox]):not([type=radio]),textarea,select,[contenteditable=true],[role=combobox],[role=menu],[role=listbox]'

/** Runs the shortcuts when their keys are pressed. The shell uses this hook once for all shortcuts. */
export function useKeyboard(): void {
  useEffect(() => {
    let pressed: string[] = []
    let last = 0
    const hear = (event: KeyboardEvent): void => {
      if (
        event.defaultPrevented ||
        event.isComposing ||
        event.key === 'Shift' ||
        event.key === 'Control' ||
        event.key === 'Meta' ||
        event.key === 'Alt'
      )
        return
      const name = keyName(event)
      const isInField = event.target instanceof Element && event.target.closest(fields) !== null
      if (isSingleKey(name) && (isInField || topLayer() !== undefined || !preferences().singleKeys)) {
        pressed = []
        return
      }
      if (event.timeStamp - last > sequenceMs) pressed = []
      last = event.timeStamp
      pressed.push(name)
      let match = matchKeys(pressed, shortcuts())
      if ('nothing' in match && pressed.length > 1) {
        pressed = [name]
        match = matchKeys(pressed, shortcuts())
      }
      if ('more' in match) return
      pressed = []
      if ('nothing' in match) return
      event.preventDefault()
      match.shortcut.run()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
}
