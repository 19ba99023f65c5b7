// Who may connect to a cluster's NATS: whoever has a token that the cluster's account signed (NATS's decentralised JWTs).
import { createHash } from "node:crypto";
import { type EndpointId, newEndpointId, type Role } from "../core/ids.js";
import type { Identity } from "../transport/nats.js";
import { natsSigner, newNatsKey } from "../transport/nkeys.js";
import { permissionsOf } from "./roles.js";

/** Made anew for each start. Who made it is forgotten: no one can add accounts. */
export interface Authority {
  /** Secret of control: signs identities. */
  signer: string;
  /** The part of nats-server's configuration that says whom to believe. No secret is in it. */
  text: string;
}

const unlimited = { subs: -1, data: -1, payload: -1 };
const accountLimits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
const jetstream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

export function newAuthority(): Authority {
  const [operator, system, account] = [newNatsKey("operator"), newNatsKey("account"), newNatsKey("account")];
  const accountToken = (key: string, name: string, limits: object) =>
    signed(operator.seed, { sub: key, name, nats: { type: "account", version: 2, limits } });
  const lines = [
    `operator: ${signed(operator.seed, { sub: operator.public, name: "actors", nats: { type: "operator", version: 2 } })}`,
    `system_account: ${system.public}`, // it has no users, and no one can sign one
    "resolver: MEMORY",
    "resolver_preload {",
    `  ${system.public}: ${accountToken(system.public, "SYS", accountLimits)}`,
    `  ${account.public}: ${accountToken(account.public, "ACTORS", { ...accountLimits, ...jetstream })}`,
    "}",
  ];
  return { signer: account.seed, text: lines.join("\n") };
}

/** An identity of that role: all clients of a cluster share one, each worker has its own. */
export function issue(signer: string, role: Role, cluster: string): Identity {
  const key = newNatsKey("user");
  const endpoint: EndpointId | undefined = role === "worker" ? newEndpointId(role) : undefined;
  const limits = role === "control" ? undefined : permissionsOf({ role, endpoint, cluster });
  const nats = {
    type: "user",
    version: 2,
    ...unlimited,
    ...(limits && { pub: { allow: limits.publish }, sub: { allow: limits.subscribe } }),
  };
  const jwt = signed(signer, { sub: key.public, name: endpoint ?? role, nats });
  return { role, ...(endpoint && { endpoint }), jwt, seed: key.seed };
}

/** https://docs.nats.io/running-a-nats-service/configuration/securing_nats/jwt */
function signed(seed: string, claims: object): string {
  const signer = natsSigner(seed);
  const said = { iat: Math.floor(Date.now() / 1000), iss: signer.public, ...claims };
  const jti = createHash("sha256").update(JSON.stringify(said)).digest("hex");
  const text = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part({ ...said, jti })}`;
  return `${text}.${signer.sign(Buffer.from(text)).toString("base64url")}`;
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
