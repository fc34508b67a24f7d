import { Alert, Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Bad, Lead } from '../../../web/ui/Text.tsx'
import { type Checked, checkPackage } from '../checker.ts'

const words = { OK: 'checkerFile', WRONG: 'checkerWrong', MISSING: 'checkerMissing' } as const

/** A package that somebody was given, checked in this browser alone. */
export function CheckerDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('drugEvidence')
  const field = useRef<HTMLInputElement>(null)
  const [result, setResult] = useState<Checked | 'NOT' | null>(null)
  const check = async (file: File | undefined) => {
    if (file) setResult((await checkPackage(new Uint8Array(await file.arrayBuffer()))) ?? 'NOT')
  }
  const checked = result === 'NOT' ? null : result
  const ok = checked?.signatureOk && checked.files.every(({ state }) => state === 'OK')
  return (
    <Modal open title={t('checker')} width={640} footer={null} onCancel={onClose}>
      <Lead>{t('checkerHint')}</Lead>
      <input
        ref={field}
        type="file"
        accept=".zip"
        hidden
        aria-label={t('checkerChoose')}
        onChange={(event) => void check(event.target.files?.[0])}
      />
      <p>
        <Button onClick={() => field.current?.click()}>{t('checkerChoose')}</Button>
      </p>
      <div aria-live="polite">
        {result === 'NOT' ? <Alert type="error" showIcon title={t('checkerNot')} /> : null}
        {checked ? (
          <>
            <Alert
              type={ok ? 'success' : 'error'}
              showIcon
              title={t(ok ? 'verified' : checked.signatureOk ? 'broken' : 'signatureBroken')}
            />
            <ul>
              {checked.files.map(({ name, rows, state }) => (
                <li key={name}>
                  <Bad when={state !== 'OK'}>{t(words[state], { name, rows })}</Bad>
                </li>
              ))}
            </ul>
            <Lead>
              {t('fields.publicKey')} <code>{checked.publicKey}</code>
            </Lead>
          </>
        ) : null}
      </div>
    </Modal>
  )
}
