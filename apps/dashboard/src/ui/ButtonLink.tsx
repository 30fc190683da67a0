import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { May, type Needed } from '../session/May.tsx'
import { buttonClass } from './Button.tsx'

type Look = {
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger' | undefined
  small?: boolean | undefined
  icon?: ReactNode
  needed?: Needed | undefined
}

function ButtonAnchor({ variant, small, icon, className, children, needed, ...rest }: ComponentProps<'a'> & Look) {
  const link = (
    <a className={buttonClass({ variant, small, className })} {...rest}>
      {icon}
      {children}
    </a>
  )
  return needed === undefined ? link : <May needed={needed}>{link}</May>
}

/** A link to another page of the dashboard that looks like a button. `needed` as in Button. */
export const ButtonLink = createLink(ButtonAnchor)
