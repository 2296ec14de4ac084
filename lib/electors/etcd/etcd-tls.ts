/** How the elector speaks TLS with etcd: a part of the options of `node:tls`. @publicApi */
export interface EtcdTls {
  /** Certificates of the authorities that may have signed the servers', in PEM. @default those that Node knows */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** The client's certificate, in PEM, for servers that ask for one (`--client-cert-auth`). With `key`. */
  readonly cert?: string | Buffer;
  /** The key of `cert`, in PEM. */
  readonly key?: string | Buffer;
  /** Of `key`, if it has one. */
  readonly passphrase?: string;
  /** The name that a server's certificate must have. @default the host of its endpoint */
  readonly servername?: string;
  /** `false` takes any certificate: whoever is in between can lead, or see who does. For tests. @default true */
  readonly rejectUnauthorized?: boolean;
}

export const TLS_OPTIONS = ['ca', 'cert', 'key', 'passphrase', 'servername', 'rejectUnauthorized'] as const;
