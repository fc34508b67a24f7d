import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { setPrefs, usePrefs } from '../../../web/prefs.ts'
import type { Board } from '../boardContract.ts'
import { follow } from './follow.ts'
import { Wall } from './Wall.tsx'
import styles from './wall.module.css'

/** Behind the # of the address, also when somebody opens another link in the same window. */
function useCode(): string {
  const [code, setCode] = useState(() => location.hash.slice(1))
  useEffect(() => {
    const read = () => setCode(location.hash.slice(1))
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return code
}

type State = { board: Board | null; late: boolean; over: boolean }
const start: State = { board: null, late: false, over: false }

/** What a display link opens, on a television without an account. Its code stays behind the #. */
export function ScreenPage() {
  const { t } = useTranslation('workbench')
  const { lang } = usePrefs()
  const code = useCode()
  const [{ board, late, over }, setState] = useState<State>(start)
  useEffect(() => {
    setState(start)
    const stop = new AbortController()
    void follow(code, stop.signal, (change) => setState((before) => ({ ...before, ...change })))
    return () => stop.abort()
  }, [code])
  useEffect(() => {
    document.title = t('wall.title')
  }, [t])
  const other = lang === 'en' ? 'zh-CN' : 'en'
  return (
    <div className={styles.over}>
      {over ? (
        <div className={styles.message} role="alert">
          <h1>{t('wall.over')}</h1>
          <p>{t('wall.overHint')}</p>
        </div>
      ) : board ? (
        <Wall
          board={board}
          late={late}
          tools={
            <button type="button" lang={other} onClick={() => setPrefs({ lang: other })}>
              {other === 'en' ? 'English' : '\u4e2d\u6587'}
            </button>
          }
        />
      ) : late ? (
        <div className={styles.message} role="alert">
          <h1>{t('wall.failed')}</h1>
        </div>
      ) : null}
    </div>
  )
}
