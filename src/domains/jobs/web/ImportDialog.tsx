import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import InboxOutlined from '@ant-design/icons/es/icons/InboxOutlined'
import { Alert, Button, Spin } from 'antd'
import { type DragEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient, useRead } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { call, messageOf } from '../../../web/call.ts'
import { download, save } from '../../../web/download.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { useFocusBack } from '../../../web/useFocusBack.ts'
import { jobs, type RowFault } from '../contract.ts'
import { locale } from '../locale.ts'
import { jobLimits } from '../rules.ts'
import { FaultsTable } from './FaultsTable.tsx'
import styles from './ImportDialog.module.css'

registerLocale('jobs', locale)

type Props = {
  /** The importer's kind , as its manifest names it. */
  kind: string
  title: string
  /** Paths whose reads are stale afterwards, e.g. `/api/users`. */
  invalidates: readonly string[]
  onClose: () => void
}
type Tried = { total: number; failed: number; faults: readonly RowFault[] }
type Once = { label: string; fileName?: string | undefined; text: string }
type Step =
  | { is: 'choose' }
  | { is: 'busy' }
  | { is: 'refused'; message: string }
  | { is: 'tried'; file: File; tried: Tried }
  | { is: 'done'; total: number; once: Once | undefined }

/**
 * Template, file, what is wrong with it, confirmation. Load with `lazyDialog`, render only while
 * open.
 */
export function ImportDialog({ kind, title, invalidates, onClose }: Props) {
  const { t } = useTranslation(['jobs', 'web'])
  const active = useActiveTab()
  useFocusBack()
  const info = useRead(jobs.importInfo, { kind }, { inline: true })
  const [step, setStep] = useState<Step>({ is: 'choose' })

  const send = async (file: File, dryRun: boolean) => {
    setStep({ is: 'busy' })
    try {
      const answer = await call(jobs.import, { kind, dryRun }, { file })
      if (dryRun) return setStep({ is: 'tried', file, tried: answer })
      setStep({ is: 'done', total: answer.total, once: answer.once })
      if (answer.once?.fileName) keep(answer.once.fileName, answer.once.text)
      const stale = [...invalidates, jobs.list.path]
      await queryClient.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          typeof path === 'string' && stale.some((one) => path.startsWith(one)),
      })
    } catch (error) {
      setStep({ is: 'refused', message: messageOf(error) })
    }
  }
  const choose = (file: File | undefined) => {
    if (!file) return
    if (file.size > jobLimits.importBytes)
      setStep({ is: 'refused', message: t('importing.tooLarge') })
    else void send(file, true)
  }
  if (!active) return null
  const closed = info.error?.message
  const another = (
    <Button key="another" onClick={() => setStep({ is: 'choose' })}>
      {t('importing.another')}
    </Button>
  )
  const footer = {
    choose: null,
    busy: null,
    refused: [another],
    done: [
      <Button key="close" type="primary" onClick={onClose}>
        {t('web:action.close')}
      </Button>,
    ],
    tried:
      step.is === 'tried'
        ? [
            another,
            <Decide
              key="decide"
              kind={kind}
              {...step}
              onImport={() => void send(step.file, false)}
            />,
          ]
        : null,
  }[step.is]
  return (
    <Modal
      open
      title={title}
      footer={footer}
      onCancel={onClose}
      width={640}
      mask={{ closable: false }}
    >
      <div className={styles.body} aria-live="polite">
        {closed ? <Alert type="error" showIcon title={closed} /> : null}
        {step.is === 'choose' && !closed ? (
          <Drop most={info.data?.most ?? jobLimits.importRows} onFile={choose} />
        ) : null}
        {step.is === 'busy' ? (
          <div className={styles.busy}>
            <Spin />
            <span>{t('importing.checking')}</span>
          </div>
        ) : null}
        {step.is === 'refused' ? <Alert type="error" showIcon title={step.message} /> : null}
        {step.is === 'tried' ? <Result tried={step.tried} /> : null}
        {step.is === 'done' ? (
          <Alert type="success" showIcon title={t('importing.done', { total: step.total })} />
        ) : null}
        {step.is === 'done' && step.once ? (
          <p className={styles.once}>
            <span>{step.once.label}</span>
            <Shown {...step.once} />
          </p>
        ) : null}
        {step.is === 'choose' && !closed ? (
          <>
            <Button
              type="link"
              className={styles.template ?? ''}
              icon={<DownloadOutlined />}
              onClick={() => void download(`api/imports/${kind}/template`)}
            >
              {t('importing.template')}
            </Button>
            <Columns columns={info.data?.columns ?? []} />
          </>
        ) : null}
      </div>
    </Modal>
  )
}

/** The server has it no more: a file is saved at once, and again while the dialog is open. */
const keep = (fileName: string, text: string): void =>
  save(new Blob([text], { type: 'text/csv;charset=utf-8' }), fileName)
function Shown({ fileName, text }: Once) {
  if (fileName)
    return (
      <Button icon={<DownloadOutlined />} onClick={() => keep(fileName, text)}>
        {fileName}
      </Button>
    )
  return (
    <span>
      <code>{text}</code> <CopyButton text={text} />
    </span>
  )
}

function Drop({ most, onFile }: { most: number; onFile: (file: File | undefined) => void }) {
  const { t } = useTranslation('jobs')
  const [over, setOver] = useState(false)
  const drag = (event: DragEvent, on: boolean) => {
    event.preventDefault()
    setOver(on)
  }
  return (
    <label
      className={styles.drop}
      data-over={over}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false)
        onFile(event.dataTransfer.files[0])
      }}
    >
      <InboxOutlined aria-hidden />
      <strong>{t('importing.drop')}</strong>
      <small>{t('importing.dropHint', { most })}</small>
      <input
        type="file"
        className="hd-visually-hidden"
        accept=".xlsx,.csv"
        onChange={(event) => onFile(event.target.files?.[0])}
      />
    </label>
  )
}

type Column = { key: string; title: string; required: boolean; example: string; note: string }
function Columns({ columns }: { columns: readonly Column[] }) {
  const { t } = useTranslation('jobs')
  if (columns.length === 0) return null
  return (
    // what scrolls must be reachable by keyboard
    <dl className={styles.columns} aria-label={t('importing.columns')} tabIndex={0}>
      {columns.map((column) => (
        <div key={column.key}>
          <dt>
            {column.title}
            {column.required ? <em title={t('importing.required')}>*</em> : null}
          </dt>
          <dd>{[column.note, column.example].filter(Boolean).join(' · ')}</dd>
        </div>
      ))}
    </dl>
  )
}

function Result({ tried }: { tried: Tried }) {
  const { t } = useTranslation('jobs')
  if (tried.failed === 0)
    return <Alert type="success" showIcon title={t('importing.fine', { total: tried.total })} />
  return (
    <>
      <Alert
        type="error"
        showIcon
        title={t('importing.wrong', { total: tried.total, failed: tried.failed })}
      />
      <FaultsTable faults={tried.faults} />
    </>
  )
}

function Decide({
  kind,
  file,
  tried,
  onImport,
}: {
  kind: string
  file: File
  tried: Tried
  onImport: () => void
}) {
  const { t } = useTranslation('jobs')
  if (tried.failed > 0)
    return (
      <Button
        icon={<DownloadOutlined />}
        onClick={() => void download(`api/imports/${kind}/marked`, file)}
      >
        {t('importing.marked')}
      </Button>
    )
  return (
    <Button type="primary" onClick={onImport}>
      {t('importing.submit', { total: tried.total })}
    </Button>
  )
}
