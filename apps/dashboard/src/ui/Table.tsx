import { useRouter } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useRef, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'

/** A column of a table: its heading, and what each row shows in it. `width` is a CSS length. */
export type Column<T> = {
  key: string
  label: ReactNode
  cell: (row: T) => ReactNode
  align?: 'right' | undefined
  width?: string | undefined
}

const active = 'a,button,input,select,textarea,label,summary'

/**
 * Shows a list as a table, on a phone as cards. A row opens the page `rowHref` below /dashboard ("/apps/…"), or calls `onOpen`. The keys j, k and the
 * arrows move the focus; Enter or a click opens the row.
 */
export function Table<T>({
  caption,
  columns,
  rows,
  rowKey,
  onOpen,
  rowHref,
}: {
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  rowKey: (row: T) => string
  onOpen?: ((row: T) => void) | undefined
  rowHref?: ((row: T) => string) | undefined
}) {
  const router = useRouter()
  const body = useRef<HTMLTableSectionElement>(null)
  const opens = onOpen !== undefined || rowHref !== undefined

  const go = (row: T): void => {
    if (onOpen !== undefined) onOpen(row)
    else if (rowHref !== undefined) router.history.push(router.basepath + rowHref(row))
  }

  const click = (row: T) => (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest(active) !== null) return
    if (getSelection()?.isCollapsed === false) return
    if (rowHref !== undefined && onOpen === undefined && (event.metaKey || event.ctrlKey))
      return void window.open(router.basepath + rowHref(row), '_blank', 'noopener')
    go(row)
  }

  const press = (row: T, index: number) => (event: KeyboardEvent<HTMLTableRowElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    const target = step === undefined ? undefined : body.current?.rows[index + step]
    if (event.key === 'Enter') go(row)
    else if (target === undefined) return
    else target.focus()
    event.preventDefault()
  }

  return (
    <div className="sm:overflow-x-auto sm:rounded-lg sm:border sm:border-line sm:bg-surface" data-table>
      <table className="w-full border-collapse text-left max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line">
            {columns.map(({ key, label, align, width }) => (
              <th
                key={key}
                scope="col"
                style={width === undefined ? undefined : { width }}
                className={clsx('px-3 py-2 text-xs font-medium whitespace-nowrap text-muted', align === 'right' && 'text-right')}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} className="max-sm:grid max-sm:grid-cols-1 max-sm:gap-2">
          {rows.map((row, index) => (
            <tr
              key={rowKey(row)}
              tabIndex={opens ? (index === 0 ? 0 : -1) : undefined}
              onClick={opens ? click(row) : undefined}
              onKeyDown={opens ? press(row, index) : undefined}
              className={clsx(
                'border-line focus-visible:-outline-offset-2 max-sm:block max-sm:rounded-lg max-sm:border max-sm:bg-surface max-sm:py-1.5 sm:border-b sm:last:border-0',
                opens && 'cursor-pointer hover:bg-hover',
              )}
            >
              {columns.map(({ key, label, cell, align }, column) => (
                <td
                  key={key}
                  data-label={column > 0 && typeof label === 'string' && label !== '' ? label : undefined}
                  className={clsx(
                    'px-3 py-2 align-top max-sm:block max-sm:py-1',
                    'max-sm:data-label:grid max-sm:data-label:grid-cols-[7.5rem_minmax(0,1fr)] max-sm:data-label:gap-x-3',
                    'max-sm:data-label:before:text-muted max-sm:data-label:before:content-[attr(data-label)]',
                    align === 'right' && 'tabular-nums sm:text-right',
                  )}
                >
                  <div className="min-w-0 wrap-anywhere sm:wrap-break-word">
                    {column === 0 && rowHref !== undefined ? (
                      <RowLink href={router.basepath + rowHref(row)} open={() => go(row)}>
                        {cell(row)}
                      </RowLink>
                    ) : (
                      cell(row)
                    )}
                  </div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The link in the first cell of a row, for middle clicks, "copy link" and screen readers. */
function RowLink({ href, open, children }: { href: string; open: () => void; children: ReactNode }) {
  return (
    <a
      href={href}
      tabIndex={-1}
      className="hover:underline"
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        open()
      }}
    >
      {children}
    </a>
  )
}
