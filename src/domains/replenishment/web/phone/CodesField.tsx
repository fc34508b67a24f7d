import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { canScan } from '../../../../web/camera.ts'
import { Muted } from '../../../../web/ui/Text.tsx'
import styles from './phone.module.css'
import { Scanner } from './Scanner.tsx'

type Props = {
  label: string
  codes: readonly string[]
  of: number
  onChange: (codes: string[]) => void
}

/** One code for each piece: by the camera where there is one, else typed or by a hand scanner. */
export function CodesField({ label, codes, of, onChange }: Props) {
  const { t } = useTranslation('replenishment')
  const [typed, setTyped] = useState('')
  const [scanning, setScanning] = useState(false)
  const take = (text: string) => {
    const found = text.split(/[\s,;，；]+/).filter((code) => /^[!-~]{8,64}$/.test(code))
    const all = [...new Set([...codes, ...found])]
    if (all.length > codes.length) onChange(all)
    return found.length > 0
  }
  return (
    <div className={styles.codes}>
      <Muted small>{t('phone.codes', { n: codes.length, of })}</Muted>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (take(typed)) setTyped('')
        }}
      >
        <input
          aria-label={label}
          placeholder={t('phone.codesHint')}
          autoCapitalize="off"
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => {
            if (take(typed)) setTyped('')
          }}
        />
        {canScan() ? (
          <button type="button" onClick={() => setScanning(true)}>
            {t('phone.scan')}
          </button>
        ) : null}
      </form>
      {scanning ? (
        <Scanner
          note={t('phone.codes', { n: codes.length, of })}
          onCode={take}
          onEnd={() => setScanning(false)}
        />
      ) : null}
      {codes.length ? (
        <ul>
          {codes.map((code) => (
            <li key={code}>
              <span>{code}</span>
              <button
                type="button"
                aria-label={`${t('phone.undo')} ${code}`}
                onClick={() => onChange(codes.filter((other) => other !== code))}
              >
                <CloseOutlined />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
