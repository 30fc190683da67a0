import { Popover as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useLayer } from './layers.ts'

/** Opens a box beside its trigger, a Button. Escape or a click elsewhere closes it. */
export function Popover({
  trigger,
  label,
  open,
  onOpenChange,
  children,
}: {
  trigger: ReactNode
  label: string
  open?: boolean | undefined
  onOpenChange?: ((open: boolean) => void) | undefined
  children: ReactNode
}) {
  const layer = useLayer()
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={layer}>
        <Radix.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 max-h-(--radix-popover-content-available-height) min-w-56 overflow-auto rounded-lg border border-line bg-surface p-3 shadow-xl"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
