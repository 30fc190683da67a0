import { Ellipsis } from 'lucide-react'
import { clsx } from 'clsx'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { useLayer } from './layers.ts'

type MenuItem = { label: ReactNode; onSelect: () => void; danger?: boolean | undefined; disabled?: boolean | undefined }

/**
 * A menu of further actions behind a button. The menu is not modal, because a modal menu inserts a style element, which the content security policy
 * refuses.
 */
export function Menu({ label, items, trigger }: { label: string; items: readonly MenuItem[]; trigger?: ReactNode }) {
  const layer = useLayer()
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        {trigger ?? (
          <Button variant="quiet" small aria-label={label} title={label}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={layer}>
        <DropdownMenu.Content
          aria-label={label}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 min-w-44 rounded-lg border border-line bg-surface p-1 shadow-xl"
        >
          {items.map((item, index) => (
            <DropdownMenu.Item
              key={index}
              disabled={item.disabled === true}
              onSelect={item.onSelect}
              className={clsx(
                'flex min-h-7 items-center rounded-md px-2 py-1 outline-none select-none data-disabled:opacity-55 data-highlighted:bg-hover',
                item.danger === true && 'text-bad',
              )}
            >
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
