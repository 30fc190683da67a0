import { Tooltip as Radix } from 'radix-ui'
import { useState, type ReactNode } from 'react'
import { useLayer } from './layers.ts'

/** Shows a short text about its children while the mouse or the focus is on them. When `text` is a function, it is called as the tooltip opens. */
export function Tooltip({ text, children }: { text: string | (() => string); children: ReactNode }) {
  const layer = useLayer()
  const [shown, setShown] = useState('')
  return (
    <Radix.Provider delayDuration={300}>
      <Radix.Root onOpenChange={(isOpen) => isOpen && setShown(typeof text === 'function' ? text() : text)}>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal container={layer}>
          <Radix.Content
            sideOffset={4}
            collisionPadding={8}
            className="z-50 max-w-xs rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-md"
          >
            {typeof text === 'function' ? shown : text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
