import { createElement, Fragment, type ReactNode, useMemo } from 'react'
import { Link } from 'react-router'
import { href } from '../../../web/base.ts'
import styles from './RichText.module.css'

/**
 * Rich text as elements of ours. The server cleaned it when it was written; here only what is named
 * below is built at all, so that nothing else in a text can become part of the page.
 */
const kept = new Set('p br strong em u s h2 h3 ul ol li blockquote'.split(' '))

export function RichText({ html }: { html: string }) {
  const content = useMemo(
    () => [...new DOMParser().parseFromString(html, 'text/html').body.childNodes].map(build),
    [html],
  )
  return <div className={styles.text}>{content}</div>
}

function build(node: ChildNode, key: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent
  if (!(node instanceof HTMLElement)) return null
  const name = node.tagName.toLowerCase()
  const children = [...node.childNodes].map(build)
  if (name === 'br') return <br key={key} />
  if (name === 'img') return picture(node, key)
  if (name === 'a') return link(node, key, children)
  if (kept.has(name)) return createElement(name, { key }, ...children)
  return <Fragment key={key}>{children}</Fragment>
}

function picture(node: HTMLElement, key: number): ReactNode {
  const src = node.getAttribute('src') ?? ''
  return /^files\/[a-z0-9-]+\.(jpg|png)$/.test(src) ? (
    <img key={key} src={href(src)} alt={node.getAttribute('alt') ?? ''} loading="lazy" />
  ) : null
}

function link(node: HTMLElement, key: number, children: ReactNode[]): ReactNode {
  const to = node.getAttribute('href') ?? ''
  if (/^\/(?![/\\])/.test(to)) {
    return (
      <Link key={key} to={to}>
        {children}
      </Link>
    )
  }
  if (!/^(https?:\/\/|mailto:)/i.test(to)) return <Fragment key={key}>{children}</Fragment>
  return (
    <a key={key} href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
