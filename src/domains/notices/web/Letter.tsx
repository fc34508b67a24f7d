import { href } from '../../../web/base.ts'
import { Time } from '../../../web/Time.tsx'
import styles from './notices.module.css'
import { RichText } from './RichText.tsx'

type Props = {
  title: string
  html?: string
  text?: string
  images: readonly string[]
  sender: string
  time: string
}

/** A message as it is read: in the drawer, over the page, in the preview. */
export const Letter = ({ title, html = '', text = '', images, sender, time }: Props) => (
  <article className={styles.letter}>
    <h2>{title}</h2>
    <p className={styles.meta}>
      {sender ? <span>{sender}</span> : null}
      <Time at={time} style="full" />
    </p>
    {images.map((src) => (
      <img key={src} className={styles.cover} src={href(src)} alt="" />
    ))}
    {html ? <RichText html={html} /> : <p className={styles.plain}>{text}</p>}
  </article>
)
