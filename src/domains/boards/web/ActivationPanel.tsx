import QrcodeOutlined from '@ant-design/icons/es/icons/QrcodeOutlined'
import { Alert, Button, Flex, QRCode } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { href } from '../../../web/base.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { save } from '../../../web/download.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { Time } from '../../../web/Time.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { type ActivationCode, boards } from '../contract.ts'
import { locale } from '../locale.ts'
import styles from './codes.module.css'

// shown on pages of other domains too
registerLocale('boards', locale)

type Machine = { readonly id: number; readonly rtuNumber: string }
/** What a board reads: where to say the code, and the code. */
const qrText = (code: string): string =>
  `${new URL(href('api/activate'), location.origin)}?code=${code}`

export function ActivationPanel({ machines }: { machines: readonly Machine[] }) {
  const { t } = useTranslation('boards')
  const [codes, setCodes] = useState<readonly ActivationCode[] | null>(null)
  const make = useWrite(boards.activationCodes)
  const run = () =>
    make.mutate(
      { deviceIds: machines.map((machine) => machine.id) },
      { onSuccess: ({ list }) => setCodes(list) },
    )
  const lines = (codes ?? []).map((code) => `${code.rtuNumber}\t${code.activationCode}`)
  return (
    <Flex vertical gap={12}>
      <Muted>{t('activation.hint')}</Muted>
      {codes ? (
        <>
          <ul className={styles.codes}>
            {codes.map((code) => (
              <li key={code.id} className={styles.code}>
                <b>{code.rtuNumber}</b>
                <div className={styles.qr}>
                  <QRCode
                    type="svg"
                    value={qrText(code.activationCode)}
                    size={140}
                    bordered={false}
                    color="black"
                    bgColor="white"
                  />
                </div>
                <span>
                  {code.activationCode} <CopyButton text={code.activationCode} />
                </span>
                <Muted small>
                  {t('activation.until')} <Time at={code.expiresAt} />
                </Muted>
              </li>
            ))}
          </ul>
          <Alert type="info" showIcon title={t('activation.replaced')} />
        </>
      ) : null}
      <Flex wrap gap={8}>
        <Button
          type={codes ? 'default' : 'primary'}
          icon={<QrcodeOutlined />}
          loading={make.isPending}
          onClick={run}
        >
          {codes
            ? t('activation.again')
            : machines.length > 1
              ? t('activation.makeAll', { n: machines.length })
              : t('activation.make')}
        </Button>
        {codes ? (
          <Button
            onClick={() =>
              save(
                csvOf([t('fields.rtuNumber'), t('activation.code')].join(','), lines),
                `${t('activation.file')}.csv`,
              )
            }
          >
            {t('activation.download')}
          </Button>
        ) : null}
        {codes && codes.length > 1 ? (
          <CopyButton text={lines.join('\n')} label={t('activation.copyAll')} />
        ) : null}
      </Flex>
    </Flex>
  )
}

/** A list to take along; the mark at the front tells spreadsheets that it is UTF-8. */
const csvOf = (head: string, lines: readonly string[]): Blob =>
  new Blob(
    [`\ufeff${[head, ...lines.map((line) => line.replaceAll('\t', ','))].join('\r\n')}\r\n`],
    { type: 'text/csv' },
  )
